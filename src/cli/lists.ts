/** Whether names come from a list of commands: then they are exact, and no question is asked. */
let exact = false;

/** Makes names exact in this process, until the function it returns is called. */
export function nameExactly(): () => void {
  exact = true;
  return () => {
    exact = false;
  };
}

export function namesAreExact(): boolean {
  return exact;
}
