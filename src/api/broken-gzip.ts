import { ServiceError } from '../errors.ts';

/** A gzip body that is cut short or damaged. It never holds data: whoever asked may ask again. */
export class BrokenGzip extends ServiceError {}
