export {
  type Checkpoint,
  type JobContext,
  type JobHandler,
  type JobRunner,
  type JobRunnerOptions,
  startJobRunner,
} from './job-runner.ts'
export { cancelJobsOf, endAllLeases, enqueueJob, type Job, jobMigrations } from './jobs-store.ts'
