"""Worker: thin Celery tasks that claim a job, call formats or analysis, and store the result.

One task exists, ``pileup.run_job(job_id)``; the job table says what the job is. A task may be
delivered twice, or its worker may die: jobs are claimed and finished by conditional updates, and
results replace, they never append.
"""
