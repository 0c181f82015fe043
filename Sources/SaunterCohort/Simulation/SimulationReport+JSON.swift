import SaunterCore

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
        ]
    }

    /// A quantile of adherence over participants, in whole percent; nil without participants.
    package func adherence(quantile percent: Int) -> Int? {
        let participants = adherences.reduce(0, +)
        guard participants > 0 else { return nil }
        var sum = 0
        return adherences.indices.first { index in
            sum += adherences[index]
            return sum * 100 >= percent * participants
        }
    }

    /// 100 × part / total, to one decimal; nil if the total is 0.
    package static func percent(_ part: Int, of whole: Int) -> Double? {
        whole > 0 ? (Double(part) / Double(whole) * 1000).rounded() / 10 : nil
    }
}

extension SimulationReport.Figures {
    /// Occasions per participant day.
    package var occasionsPerDay: Double { perParticipantDay(Double(occasions)) }
    /// Minutes of all occasions per participant day.
    package var minutesAskedPerDay: Double { perParticipantDay(minutesAsked) }
    /// Minutes of answered sheets per participant day.
    package var minutesAnsweredPerDay: Double { perParticipantDay(minutesAnswered) }
    /// Answered occasions in percent of settled ones; nil if none is settled.
    package var adherencePercent: Double? { SimulationReport.percent(completed, of: settled) }
    /// Occasions answered on time in percent of settled ones; nil if none is settled.
    package var onTimePercent: Double? { SimulationReport.percent(onTime, of: settled) }

    /// The mean per participant day, to two decimals.
    private func perParticipantDay(_ sum: Double) -> Double {
        participantDays > 0 ? (sum / Double(participantDays) * 100).rounded() / 100 : 0
    }

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
