"""Worker: thin Celery tasks that claim a job, call formats or analysis, and store the result.

One task exists, ``pileup.work``: take jobs from the job table, which decides what runs next. A
message may be delivered twice, or a worker may die: jobs are claimed and finished by conditional
updates, and results replace, they never append.
"""
