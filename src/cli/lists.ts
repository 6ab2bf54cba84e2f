/** Whether names come from a list of commands: then they are exact, and no question is asked. */
let exact = false;

/** Makes names exact from now on, in this process. */
export function nameExactly(): void {
  exact = true;
}

export function namesAreExact(): boolean {
  return exact;
}
