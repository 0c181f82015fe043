import SaunterCore

extension Simulation {
    /// What a run did, with its report. The member names are stable.
    package func summary(_ report: SimulationReport) -> JSONObject {
        let burden = Burden(of: study, walksPerDay: behaviour.walksPerDay)
        return [
            "study": .string(study.code), "version": .string(study.version), "seed": .string("\(seed)"),
            "participants": .int(participants), "start": .string(start.description),
            "until": .string(until.description),
            // The minutes a day by the study definition, as in `saunter check`.
            "nominal_burden": .array(
                study.arms.map {
                    [
                        "arm": .string($0.code),
                        "minutes_per_day": .double(burden.minutesPerDay(arm: $0.code)),
                    ]
                }),
            "report": report.json,
        ]
    }
}

extension SimulationReport {
    /// The complete report. The member names are stable.
    package var json: JSON {
        [
            "total": total.json, "arms": .array(arms.map { $0.figures.json(["arm": .string($0.arm)]) }),
            "cells": .array(
                cells.map { cell -> JSON in
                    [
                        "arm": .string(cell.arm), "schedule": .string(cell.schedule),
                        "asked": .int(cell.asked),
                        "answering": .int(cell.answering), "complete": .int(cell.complete),
                        "settled": .int(cell.settled), "completed": .int(cell.completed),
                        "on_time": .int(cell.onTime),
                        "adherence_percent": .optional(
                            Self.percent(cell.completed, of: cell.settled), JSON.double),
                    ]
                }),
            "study_days": .array(studyDays.enumerated().map { $1.json(["study_day": .int($0)]) }),
            "calendar": .array(
                calendar.sorted { $0.key < $1.key }.map { $1.json(["date": .string($0.description)]) }),
            "prompts_per_day": .array(
                occasionsPerDay.enumerated().map { ["prompts": .int($0), "person_days": .int($1)] }),
            "adherence_quantiles": .object(
                JSONObject(
                    [10, 25, 50, 75, 90].map {
                        .init(name: "p\($0)", value: .optional(adherence(quantile: $0), JSON.int))
                    })),
            "kept_back": .int(delayedSheets), "walks_kept_back": .int(delayedWalks),
            "reminded_in_vain": .int(announcedAfterAnswer),
            "travellers": .int(travellers), "pausing": .int(pausing), "walks": .int(walks),
            "rules": .array(rules.map { $0.json(participantDays: total.participantDays) }),
            "rule_messages": .object(ruleMessages.json(participantDays: total.participantDays)),
        ]
    }
}

extension SimulationReport.Figures {
    fileprivate var json: JSON { json([:]) }

    fileprivate func json(_ head: JSONObject) -> JSON {
        var object = head
        let counts = [
            ("people", participants), ("person_days", participantDays), ("left", left),
            ("silent", stoppedAnswering),
            ("prompts", occasions), ("settled", settled), ("completed", completed), ("on_time", onTime),
            ("unscheduled", unscheduled), ("reminders", reminders),
        ]
        for (name, count) in counts { object[name] = .int(count) }
        object["prompts_per_day"] = .double(occasionsPerDay)
        object["minutes_asked_per_day"] = .double(minutesAskedPerDay)
        object["minutes_answered_per_day"] = .double(minutesAnsweredPerDay)
        object["adherence_percent"] = .optional(adherencePercent, JSON.double)
        object["on_time_percent"] = .optional(onTimePercent, JSON.double)
        return .object(object)
    }
}

extension SimulationReport.Day {
    fileprivate func json(_ head: JSONObject) -> JSON {
        var object = head
        object["enrolled"] = .int(enrolled)
        object["joined"] = .int(joined)
        object["prompts"] = .int(occasions)
        object["answered"] = .int(answered)
        object["reminders"] = .int(reminders)
        return .object(object)
    }
}
