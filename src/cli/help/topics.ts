import { environmentTopic } from './environment-topic.ts';
import { exitCodesTopic } from './exit-codes-topic.ts';
import { formatsTopic } from './formats-topic.ts';
import type { Topic } from './topic.ts';

/** The pages of help besides those of commands. */
export const topics: readonly Topic[] = [exitCodesTopic, environmentTopic, formatsTopic];
