export interface VitestReport {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

export function countTests(
  report: VitestReport,
  exitCode: number | null,
): { passed: number; failed: number; failures: string[] };
