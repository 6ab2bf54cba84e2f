import { expect, it } from "vitest";

import { consoleWith } from "../../../support/console.js";

it("takes a paste as long as a field may be, and refuses a longer one whole", () => {
  const form = consoleWith([]);
  form.type("N", "a.txt\r");
  const paste = (length: number) => form.type(`\u001B[200~${"x".repeat(length)}\u001B[201~`);
  const content = () => {
    const { dialog } = form.state();
    return dialog?.type === "form" ? dialog.fields[1]!.value.length : undefined;
  };
  paste(64 * 1024 + 1);
  expect(content()).toBe(0);
  expect(form.text()).toContain("that is too long for a field");
  paste(64 * 1024);
  expect(content()).toBe(64 * 1024);
  form.type("y");
  expect(content()).toBe(64 * 1024);
});
