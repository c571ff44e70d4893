/** What a command may touch of the world around it, so that tests can run one without a terminal. */
export interface Effects {
  /** Results: stdout. */
  out: (text: string) => void;
  /** Messages: stderr. */
  err: (text: string) => void;
  /** All of stdin as text. */
  readInput: () => Promise<string>;
  inputIsTerminal: boolean;
  outputIsTerminal: boolean;
  errorIsTerminal: boolean;
  /** Columns of the terminal at stdout; undefined when it is none. */
  terminalColumns: number | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  /** Directory in which run directories are looked for. */
  workingDirectory: string;
}

export function realEffects(): Effects {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    readInput: readStandardInput,
    inputIsTerminal: process.stdin.isTTY,
    outputIsTerminal: process.stdout.isTTY,
    errorIsTerminal: process.stderr.isTTY,
    terminalColumns: process.stdout.isTTY ? process.stdout.columns : undefined,
    environment: process.env,
    workingDirectory: process.cwd(),
  };
}

async function readStandardInput(): Promise<string> {
  process.stdin.setEncoding("utf8");
  let text = "";
  for await (const part of process.stdin) text += String(part);
  return text;
}
