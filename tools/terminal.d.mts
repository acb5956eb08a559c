export interface Step {
  update(text: string): void;
  done(text?: string): void;
}

export interface Terminal {
  line(text: string): void;
  step(text: string): Step;
  clear(): void;
  close(): void;
}

export function createTerminal(out?: NodeJS.WriteStream): Terminal;
