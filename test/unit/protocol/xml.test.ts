import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  childText,
  childrenOf,
  escapeXml,
  parseXml,
  writeXml,
  XmlError,
} from "../../../src/protocol/xml.js";

describe("parseXml", () => {
  it("reads elements, attributes, comments, CDATA and references", () => {
    const root = parseXml(
      `\uFEFF<?xml version="1.0"?>\n<!-- hi --><s3:Delete xmlns:s3="urn:x" a = 'b'>` +
        `<Object><Key>a&amp;b&#10;&#x1F600;<![CDATA[<&>]]></Key></Object><Quiet/></s3:Delete>\n`,
    );
    expect(root.name).toBe("Delete");
    expect(root.children.map(({ name }) => name)).toEqual(["Object", "Quiet"]);
    expect(childText(root.children[0]!, "Key")).toBe("a&b\n😀<&>");
    expect(childText(root, "Quiet")).toBe("");
    expect(childText(root, "Other")).toBeUndefined();
  });

  it("keeps white space in text", () => {
    expect(childText(parseXml("<a><Key> x \n</Key></a>"), "Key")).toBe(" x \n");
  });

  it.each([
    ["nothing", ""],
    ["an element that is not closed", "<a><b></a>"],
    ["a closing tag too many", "<a></a></b>"],
    ["two roots", "<a/><b/>"],
    ["text outside the root", "<a/>x"],
    ["a document type", `<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`],
    ["an unknown entity", "<a>&nbsp;</a>"],
    ["a bare ampersand", "<a>b & c</a>"],
    ["a reference to no character", "<a>&#xD800;</a>"],
    ["a reference past Unicode", "<a>&#x110000;</a>"],
    ["an unquoted attribute", "<a b=c/>"],
    ["an unclosed comment", "<a/><!-- "],
    ["an unclosed CDATA", "<a><![CDATA[ </a>"],
    ["an unclosed tag", "<a"],
    ["JSON", "{}"],
  ])("refuses %s", (_, document) => {
    expect(() => parseXml(document)).toThrow(XmlError);
  });

  it("bounds depth and size", () => {
    const nested = (depth: number) => "<a>".repeat(depth) + "</a>".repeat(depth);
    expect(parseXml(nested(5), { depth: 5 }).name).toBe("a");
    expect(() => parseXml(nested(6), { depth: 5 })).toThrow(/deeper/);
    expect(() => parseXml(`<a>${"x".repeat(100)}</a>`, { size: 100 })).toThrow(/larger/);
  });
});

describe("writeXml", () => {
  it("writes nested and repeated elements and leaves out what is undefined", () => {
    const content = { Name: "a<b", Count: 2, Gone: undefined, Key: ["x", "y"], Sub: { T: true } };
    expect(writeXml("R", content, "urn:s3")).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>\n<R xmlns="urn:s3"><Name>a&lt;b</Name><Count>2</Count>` +
        `<Key>x</Key><Key>y</Key><Sub><T>true</T></Sub></R>`,
    );
  });

  it("keeps the order of a sequence of different elements", () => {
    expect(writeXml("R", [{ A: 1 }, { B: 2 }, { A: 3 }])).toContain(
      "<R><A>1</A><B>2</B><A>3</A></R>",
    );
  });

  it("writes any text so that it is read back exactly", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(fc.array(text), (values) => {
        const root = parseXml(writeXml("R", { V: values }));
        expect(childrenOf(root, "V").map((element) => element.text)).toEqual(values);
      }),
    );
  });

  it("escapes control characters as references", () => {
    expect(escapeXml("a\r\n\u0001")).toBe("a&#xD;&#xA;&#x1;");
  });
});
