/** Whether names come from a list of commands: then they are exact, and nobody is asked anything. */
let exact = false;

/** From now on, in this process. */
export function nameExactly(): void {
  exact = true;
}

export function namesAreExact(): boolean {
  return exact;
}
