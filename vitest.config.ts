import { defineConfig } from "vitest/config";

/**
 * Two projects: `unit` needs only the native reader, `integration` starts real MPI jobs.
 * Jobs share two cores, so integration files run one after the other.
 */
export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"], testTimeout: 30_000 } },
      { test: { name: "accuracy", include: ["test/accuracy/**/*.test.ts"], testTimeout: 120_000 } },
      {
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
