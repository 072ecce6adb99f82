"""Tables, one module per group of domains. They never leave ``pileup.storage``."""

from pileup.storage.models.access import IncidentMember, Team, TeamMember
from pileup.storage.models.accounts import (
    Device,
    GuestLink,
    Identity,
    OidcAttempt,
    Session,
    SignInLink,
    Token,
    User,
)
from pileup.storage.models.artifacts import Artifact, Job, Problem, TableMapping, Upload, Worker
from pileup.storage.models.base import Base
from pileup.storage.models.comments import Comment, Mention
from pileup.storage.models.incidents import (
    Analysis,
    Annotation,
    Audit,
    FindingVerdict,
    Incident,
    IncidentVersion,
    RunAnalysis,
    SearchEntry,
    Series,
    Snapshot,
    StackVerdict,
    StallCorrection,
)
from pileup.storage.models.matrix import EvidenceWeight, MatrixOpening, Rating
from pileup.storage.models.reasoning import (
    ConfidenceStep,
    Evidence,
    Experiment,
    ExperimentArtifact,
    ExperimentPin,
    Hypothesis,
    Measurement,
    Pin,
    Symptom,
    SymptomAnswer,
)
from pileup.storage.models.redaction import RedactionProfile
from pileup.storage.models.reports import ActionItem, Release, ReleaseApproval, ReportChoice
from pileup.storage.models.texts import LiveText, LiveTextUpdate, LiveTextVersion
from pileup.storage.models.view_links import ListView, ViewLink
from pileup.storage.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "ActionItem",
    "Analysis",
    "Annotation",
    "Artifact",
    "Audit",
    "Base",
    "Comment",
    "ConfidenceStep",
    "Device",
    "Evidence",
    "EvidenceWeight",
    "Experiment",
    "ExperimentArtifact",
    "ExperimentPin",
    "FindingVerdict",
    "GuestLink",
    "Hypothesis",
    "Identity",
    "Incident",
    "IncidentMember",
    "IncidentVersion",
    "Job",
    "ListView",
    "LiveText",
    "LiveTextUpdate",
    "LiveTextVersion",
    "MatrixOpening",
    "Measurement",
    "Mention",
    "OidcAttempt",
    "Pin",
    "Problem",
    "Rating",
    "RedactionProfile",
    "Release",
    "ReleaseApproval",
    "ReportChoice",
    "RunAnalysis",
    "SearchEntry",
    "Series",
    "Session",
    "SignInLink",
    "Snapshot",
    "StackVerdict",
    "StallCorrection",
    "Symptom",
    "SymptomAnswer",
    "TableMapping",
    "Team",
    "TeamMember",
    "Token",
    "Upload",
    "User",
    "ViewLink",
    "Webhook",
    "WebhookDelivery",
    "Worker",
]
