"""What a manifest will run here, and the most that one run of it can cost; nothing is called."""

from agency_cli.planning.bounds import Bound, Costs, costs_of
from agency_cli.planning.plan import AgentPlan, LimitPlan, Plan, ToolPlan, plan_of

__all__ = [
    "AgentPlan",
    "Bound",
    "Costs",
    "LimitPlan",
    "Plan",
    "ToolPlan",
    "costs_of",
    "plan_of",
]
