import type { Environment } from "../environment.ts";
import { findInterceptor } from "../installation.ts";
import type { Finding } from "./finding.ts";
import { examineMachine } from "./machine.ts";
import { selfTest } from "./self-test.ts";
import {
  examineCallPaths,
  examineInterceptor,
  examineMpi,
  examineNode,
  examineSymbols,
  findLaunchers,
} from "./software.ts";

/** Looks at everything that tracing depends on; runs one tiny MPI program per MPI found. */
export function examine(environment: Environment, workingDirectory: string): Finding[] {
  const interceptor = findInterceptor();
  const launchers = findLaunchers({ path: environment["PATH"] ?? "", workingDirectory });
  return [
    examineNode(),
    ...examineInterceptor(interceptor),
    ...examineMpi(launchers, interceptor, environment),
    ...examineMachine(workingDirectory),
    examineCallPaths(),
    examineSymbols({ path: environment["PATH"] ?? "", workingDirectory }),
    ...launchers
      .filter(({ abi }) => interceptor.abis.includes(abi))
      .map((launcher) => selfTest(launcher, interceptor, environment)),
  ];
}
