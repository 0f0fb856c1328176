import { readFileSync } from 'node:fs';

/**
 * Has a process note at its end how much memory it had at its fullest. Where Linux tells, it is the program's own: what the
 * runtime tells counts what the process was before it became the program, a copy of this one.
 */
const WATCH = `--import=data:text/javascript,${encodeURIComponent(
  "import{readFileSync as r,writeFileSync as w}from'node:fs';process.on('exit',()=>{let k;" +
    "try{k=/VmHWM:\\s*(\\d+)/.exec(r('/proc/self/status','utf8'))[1]}catch{k=process.resourceUsage().maxRSS}" +
    'w(process.env.PEAK,String(k))})',
)}`;

/** The environment in which a process writes its peak into the file, and what reads it afterwards, in kilobytes. */
export function watchPeak(file: string): { env: Readonly<Record<string, string>>; peakOf: () => number } {
  return { env: { NODE_OPTIONS: WATCH, PEAK: file }, peakOf: () => Number(readFileSync(file, 'utf8')) };
}
