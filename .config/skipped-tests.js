/** A reporter of vitest's whose lines are the last: which tests this machine lacks something for, and what. */
export default class SkippedTests {
  onTestRunEnd(modules) {
    const skipped = modules
      .flatMap((module) => [...module.children.allTests('skipped')])
      .map((test) => ({ file: test.module.relativeModuleId, missing: test.meta().missing ?? [] }))
      .filter(({ missing }) => missing.length > 0);
    if (skipped.length === 0) return;
    process.stdout.write(`\nSkipped, for want of what this machine does not have: ${skipped.length} tests\n`);
    const wants = new Set(skipped.flatMap(({ missing }) => missing).toSorted());
    for (const want of wants) {
      const without = skipped.filter(({ missing }) => missing.includes(want));
      const files = [...new Set(without.map(({ file }) => file))];
      process.stdout.write(`  ${want}: ${without.length} in ${files.join(', ')}\n`);
    }
  }
}
