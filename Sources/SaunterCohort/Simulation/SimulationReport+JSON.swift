import SaunterCore

extension SimulationReport {
    /// All of it, under names that stay.
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
                promptsPerDay.enumerated().map { ["prompts": .int($0), "person_days": .int($1)] }),
            "adherence_quantiles": .object(
                JSONObject(
                    [10, 25, 50, 75, 90].map {
                        .init(name: "p\($0)", value: .optional(adherence(quantile: $0), JSON.int))
                    })),
            "kept_back": .int(keptBack), "walks_kept_back": .int(walksKeptBack),
            "reminded_in_vain": .int(remindedInVain),
            "travellers": .int(travellers), "pausing": .int(pausing), "walks": .int(walks),
        ]
    }

    /// The adherence in whole percent below or at which so many percent of people are; nil without anybody.
    package func adherence(quantile percent: Int) -> Int? {
        let people = adherences.reduce(0, +)
        guard people > 0 else { return nil }
        var sum = 0
        return adherences.indices.first { index in
            sum += adherences[index]
            return sum * 100 >= percent * people
        }
    }

    /// 100 × part / whole to one decimal; nil without a whole.
    package static func percent(_ part: Int, of whole: Int) -> Double? {
        whole > 0 ? (Double(part) / Double(whole) * 1000).rounded() / 10 : nil
    }
}

extension SimulationReport.Figures {
    package var promptsPerDay: Double { each(Double(prompts)) }
    package var minutesAskedPerDay: Double { each(minutesAsked) }
    package var minutesAnsweredPerDay: Double { each(minutesAnswered) }
    package var adherencePercent: Double? { SimulationReport.percent(completed, of: settled) }
    package var onTimePercent: Double? { SimulationReport.percent(onTime, of: settled) }

    /// On the mean day of a participant, to two decimals.
    private func each(_ sum: Double) -> Double {
        personDays > 0 ? (sum / Double(personDays) * 100).rounded() / 100 : 0
    }

    fileprivate var json: JSON { json([:]) }

    fileprivate func json(_ head: JSONObject) -> JSON {
        var object = head
        let counts = [
            ("people", people), ("person_days", personDays), ("left", left), ("silent", silent),
            ("prompts", prompts), ("settled", settled), ("completed", completed), ("on_time", onTime),
            ("unscheduled", unscheduled), ("reminders", reminders),
        ]
        for (name, count) in counts { object[name] = .int(count) }
        object["prompts_per_day"] = .double(promptsPerDay)
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
        object["prompts"] = .int(prompts)
        object["answered"] = .int(answered)
        object["reminders"] = .int(reminders)
        return .object(object)
    }
}
