#!/usr/bin/env python3
"""Estimates the effect of a randomised rule on a proximal outcome, from a dataset of Saunter.

    python analysis.py DATASET                  a dataset: the unpacked folder, or the zip file
    python analysis.py DATASET --json           the same numbers with all digits

Needs numpy and pandas. docs/micro-randomised-trials.md explains the method: weighted and centred least squares (Boruvka et al. 2018) with
standard errors that are clustered by participant and corrected for few participants (Mancl and DeRouen 2001).
"""

import argparse
import json
import pathlib
import sys
import zipfile

import numpy
import pandas


def read(dataset, name):
    """One table of the dataset, with all cells as texts. A blank cell is missing."""
    path = pathlib.Path(dataset)
    if path.is_dir():
        return pandas.read_csv(path / "data" / f"{name}.csv", dtype=str)
    with zipfile.ZipFile(path) as archive:
        member = next(one for one in archive.namelist() if one.endswith(f"data/{name}.csv"))
        with archive.open(member) as file:
            return pandas.read_csv(file, dtype=str)


def points(dataset, rule, schedule, questionnaire, item, within):
    """One row per decision point of the rule, with the outcome of the occasion that opens next."""
    decisions = read(dataset, "decisions").query("rule == @rule").copy()
    if decisions.empty:
        sys.exit(f"{dataset} has no decisions of a rule {rule}")
    if not decisions.available.isin(["0", "1"]).all():
        sys.exit("decisions.csv: the column `available` is not 0 or 1")
    decisions["available"] = decisions.available == "1"
    decisions["moment"] = pandas.to_datetime(decisions.moment)
    for column in ("probability", "draw"):
        decisions[column] = pandas.to_numeric(decisions[column])

    occasions = read(dataset, "occasions").query("schedule == @schedule")[["enrolment_id", "opens_at", "sheet_id"]].copy()
    occasions["opens_at"] = pandas.to_datetime(occasions.opens_at)
    answers = read(dataset, f"wide_{questionnaire}")[["sheet_id", item]].rename(columns={item: "outcome_value"})
    answers["outcome_value"] = pandas.to_numeric(answers.outcome_value)

    joined = pandas.merge_asof(
        decisions.sort_values("moment"), occasions.sort_values("opens_at"), left_on="moment", right_on="opens_at",
        by="enrolment_id", direction="forward", tolerance=pandas.Timedelta(minutes=within))
    # Blank ids must not find each other.
    joined = joined.merge(answers.dropna(subset="sheet_id"), on="sheet_id", how="left")
    # What the draw decided. It is the treatment even if something later stopped the message.
    joined["treated"] = (joined.available & (joined.draw < joined.probability)).astype(float)
    return joined


def estimate(used, controls=(), numerator=None):
    """The effect, its standard error and the degrees of freedom.

    - used: one row per available point with an outcome: participant_id, outcome_value, treated, probability and the controls.
    - numerator: the probability by which the treatment is centred; by default the mean probability of the rows.
    """
    numerator = used.probability.mean() if numerator is None else numerator
    treated, probability = used.treated.to_numpy(), used.probability.to_numpy()
    weight = numpy.where(treated == 1, numerator / probability, (1 - numerator) / (1 - probability))
    columns = [numpy.ones(len(used)), *(used[name].to_numpy(float) for name in controls), treated - numerator]
    design, outcome = numpy.column_stack(columns), used.outcome_value.to_numpy(float)
    information = design.T @ (weight[:, None] * design)
    coefficients = numpy.linalg.solve(information, design.T @ (weight * outcome))
    residual = outcome - design @ coefficients

    variance = numpy.zeros_like(information)
    participants = used.participant_id.to_numpy()
    people = numpy.unique(participants)
    for person in people:
        own = participants == person
        score = design[own].T @ (weight[own] * residual[own])
        # The correction of Mancl and DeRouen: the information without the participant, instead of all information.
        change = numpy.linalg.solve(information - design[own].T @ (weight[own][:, None] * design[own]), score)
        variance += numpy.outer(change, change)
    return coefficients[-1], variance[-1, -1] ** 0.5, len(people) - len(coefficients)


def student_quantile(degrees, share=0.975):
    """The quantile of Student's t distribution. With t = √degrees · tan(angle) its density is cos(angle) to the power degrees − 1."""
    angle = numpy.linspace(0, numpy.pi / 2, 200_001)
    density = numpy.cos(angle) ** (degrees - 1)
    area = numpy.concatenate([[0], numpy.cumsum(density[1:] + density[:-1])])
    return degrees**0.5 * numpy.tan(numpy.interp((share - 0.5) * 2, area / area[-1], angle))


def analyse(dataset, rule, schedule, questionnaire, item, within, controls):
    """All numbers that are printed."""
    table = points(dataset, rule, schedule, questionnaire, item, within)
    available = table[table.available]
    used = available.dropna(subset=["outcome_value", *controls])
    try:
        effect, error, degrees = estimate(used, controls, available.probability.mean())
    except numpy.linalg.LinAlgError:
        sys.exit("Too few outcomes: each participant can be left out only if the others have treated and untreated points.")
    if degrees < 1:
        sys.exit("Too few participants.")
    half = student_quantile(degrees) * error
    answered = available.outcome_value.notna()
    return {
        "participants": int(used.participant_id.nunique()),
        "points": len(table),
        "available_points": len(available),
        "treated_points": int(available.treated.sum()),
        "treated_but_not_sent": int((available.treated.eq(1) & available.outcome.ne("message")).sum()),
        "outcomes": int(answered.sum()),
        "answered_if_treated": float(answered[available.treated == 1].mean()),
        "answered_if_not_treated": float(answered[available.treated == 0].mean()),
        "probabilities": sorted(available.probability.unique().tolist()),
        "effect": float(effect), "standard_error": float(error), "low": float(effect - half), "high": float(effect + half),
    }


def report(numbers):
    """The numbers as text."""
    n = numbers
    rows = [
        ("participants in the analysis", n["participants"]),
        ("decision points", n["points"]),
        ("available points", n["available_points"]),
        ("treated", f"{n['treated_points']} ({n['treated_points'] / n['available_points']:.1%}); probability "
                    + ", ".join(f"{one:g}" for one in n["probabilities"])),
        ("treated, but not sent", n["treated_but_not_sent"]),
        ("points with an outcome", f"{n['outcomes']} ({n['answered_if_treated']:.1%} of treated points, "
                                   f"{n['answered_if_not_treated']:.1%} of the others)"),
        ("effect", f"{n['effect']:.2f}"),
        ("robust standard error", f"{n['standard_error']:.2f}"),
        ("95 % interval", f"{n['low']:.2f} to {n['high']:.2f}"),
    ]
    return "\n".join(f"{name:30}{value}" for name, value in rows)


def main():
    parser = argparse.ArgumentParser(description="Estimates the effect of a randomised rule on a proximal outcome.")
    parser.add_argument("dataset")
    parser.add_argument("--rule", default="walk_suggestion")
    parser.add_argument("--schedule", default="one_hour_later", help="the schedule that asks for the outcome")
    parser.add_argument("--questionnaire", default="energy_now")
    parser.add_argument("--item", default="energy")
    parser.add_argument("--within", type=int, default=120, metavar="MINUTES", help="the latest opening of the occasion after the point")
    parser.add_argument("--control", action="append", default=[], metavar="COLUMN", help="a number in decisions.csv, such as study_day")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    numbers = analyse(
        options.dataset, options.rule, options.schedule, options.questionnaire, options.item, options.within, options.control)
    print(json.dumps(numbers) if options.json else report(numbers))


if __name__ == "__main__":
    main()
