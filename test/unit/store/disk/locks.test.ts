import { spawnSync } from "node:child_process";
import { link, readFile, readdir, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Directory } from "../../../../src/store/disk/directory.js";
import { openDirectory } from "../../../../src/store/disk/directory.js";
import { fateOf } from "../../../../src/system/owner.js";
import { openDisk } from "../../../../src/store/disk/index.js";
import { sweep } from "../../../../src/store/disk/sweep.js";
import { placeRecord } from "../../../../src/store/disk/tree.js";
import { freshDirectory, put, readText } from "./support.js";

let root: string;
let disk: Directory;
/** This process's owner file, as it is written. */
let self: { pid: number; start: string; place: string };
beforeEach(async () => {
  root = await freshDirectory();
  disk = await openDirectory(root);
  await disk.owner.register();
  self = JSON.parse(await readFile(join(root, "owners", disk.owner.token), "utf8")) as typeof self;
});

async function owner(name: string, content: object | string): Promise<string> {
  const file = join(root, "owners", name);
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

async function silent(file: string): Promise<void> {
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(file, longAgo, longAgo);
}

/** The file of the lock that `withLock` takes under this name. */
async function lockFile(name: string): Promise<string> {
  return disk.locks.withLock(name, async () =>
    join(root, "held", (await readdir(join(root, "held")))[0]!),
  );
}

describe("owners", () => {
  it("are alive while their process runs, however long their heartbeat is silent", async () => {
    const file = join(root, "owners", disk.owner.token);
    await silent(file);
    expect(await fateOf(file)).toBe("alive");
  });

  it("are dead when their process has ended, or another one has its number now", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    expect(await fateOf(await owner("ended", { ...self, pid }))).toBe("dead");
    if (self.start !== "") {
      expect(await fateOf(await owner("reused", { ...self, start: "boot 1" }))).toBe("dead");
    }
  });

  it("of another host or container, or with an empty file, are judged by their heartbeat", async () => {
    for (const content of [{ ...self, pid: 1, place: "elsewhere" }, ""]) {
      const file = await owner("foreign", content);
      expect(await fateOf(file)).toBe("alive");
      await silent(file);
      expect(await fateOf(file)).toBe("dead");
    }
  });

  it("that are not there count as gone, not as dead", async () => {
    expect(await fateOf(join(root, "owners", "nobody"))).toBe("gone");
  });
});

describe("held", () => {
  it("admit one holder at a time, among processes and within one", async () => {
    const disks = [disk, await openDirectory(root), await openDirectory(root)];
    let inside = 0;
    let entered = 0;
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        disks[index % 3]!.locks.withLock("name", async () => {
          inside += 1;
          entered += 1;
          expect(inside).toBe(1);
          await readdir(root);
          inside -= 1;
        }),
      ),
    );
    expect(entered).toBe(60);
    expect(await readdir(join(root, "held"))).toEqual([]);
  });

  it("of dead holders are taken over by one at a time, also when that one dies too", async () => {
    const dead = await owner("dead", { ...self, start: "boot 1", pid: 2 ** 22 });
    const file = await lockFile("name");
    const disks = await Promise.all([0, 1, 2, 3].map(() => openDirectory(root)));
    for (let round = 0; round < 15; round += 1) {
      await link(dead, file);
      if (round % 3 > 0) await link(dead, `${file}x`);
      if (round % 3 > 1) await link(dead, `${file}xx`);
      let inside = 0;
      await Promise.all(
        disks.map((each) =>
          each.locks.withLock("name", async () => {
            inside += 1;
            expect(inside).toBe(1);
            await readdir(root);
            inside -= 1;
          }),
        ),
      );
      expect(await readdir(join(root, "held"))).toEqual([]);
    }
  });

  it("pass to the next when the work fails", async () => {
    const failing = disk.locks.withLock("name", () => Promise.reject(new Error("no")));
    const next = disk.locks.withLock("name", () => Promise.resolve("yes"));
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("yes");
  });

  it("of live holders are left alone by a sweep, and so are their files", async () => {
    const file = await lockFile("name");
    await disk.owner.mark(file);
    const temporary = await disk.temporary();
    await writeFile(temporary, "in use");
    const ended = await owner("1-dead", { ...self, start: "boot 1", pid: 2 ** 22 });
    await link(ended, join(root, "held", "abandoned"));
    await writeFile(join(root, "tmp", "1-dead-1"), "abandoned");
    await writeFile(join(root, "tmp", "2-unknown-1"), "abandoned");
    await writeFile(join(root, "intents", "1-dead-1"), "cut o");
    await sweep(await openDirectory(root));
    expect(await readdir(join(root, "tmp"))).toEqual([
      temporary.slice(join(root, "tmp").length + 1),
    ]);
    expect(await readdir(join(root, "intents"))).toEqual([]);
    expect([join(root, "held", (await readdir(join(root, "held")))[0]!)]).toEqual([file]);
    const owners = await readdir(join(root, "owners"));
    expect([owners.includes(disk.owner.token), owners.includes("1-dead")]).toEqual([true, false]);
    await unlink(file);
  });
});

describe("a process that counted as dead and goes on", () => {
  it("is refused at its commit, and leaves the old object whole", async () => {
    const backend = openDisk(root);
    await backend.createBucket("b", "us-east-1");
    await put(backend, "k", "old");
    // It is suspended once its record is written, then swept, and then wakes up.
    const place = { bucket: "b", key: "k" };
    const fresh = await disk.temporary();
    await writeFile(fresh, "the record");
    await unlink(fresh);
    await expect(placeRecord(disk, place, fresh, "")).rejects.toMatchObject({ code: "SlowDown" });
    expect(await readText(backend, "k")).toBe("old");
  });
});
