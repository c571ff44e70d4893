import { expect, test } from "vitest";
import { examineCallPaths, examineSymbols } from "../../../src/launch/doctor/software.ts";

test("doctor tells where call paths and names cannot be had, and what to install", () => {
  expect(examineCallPaths("x64").status).toBe("ok");
  expect(examineCallPaths("arm64")).toMatchObject({ status: "limited" });
  expect(examineSymbols({ path: "/nowhere", workingDirectory: "/" })).toMatchObject({
    status: "limited",
    fix: "install the Debian package binutils",
  });
});
