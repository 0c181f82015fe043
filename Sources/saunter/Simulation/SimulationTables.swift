import Console
import Foundation
import SaunterCohort
import SaunterCore
import SaunterEvaluation

/// Writes the tables of a dry run to a new folder. Rows are written in batches, so the memory does not grow with the
/// run.
///
/// The columns have the names of the dataset, with these exceptions:
/// - `enrolments.silent_from` is the time at which the participant stops answering. The dataset does not have it.
/// - `occasions.submitted_at` is `completed_at` in the dataset.
/// - `reminders.local_date` is the date of the reminder, and `reminders.rule` is its decision rule. The dataset does
///   not have them.
/// - `decisions` contains the decisions that a server stores. `sent_at` is the time at which a message is sent.
struct SimulationTables {
    private let directory: URL
    private var files: [(handle: FileHandle, text: CSVText)] = []

    private static let tables: [(name: String, header: [String])] = [
        (
            "enrolments",
            [
                "enrolment_id", "participant_id", "arm", "started_at", "started_tz", "started_on", "ended_at",
                "status", "silent_from",
            ]
        ),
        (
            "occasions",
            [
                "occasion_id", "enrolment_id", "participant_id", "arm", "instrument", "schedule",
                "anchor_instance", "study_day",
                "day_index", "slot_index", "local_date", "opens_at", "due_at", "closes_at", "opens_tz",
                "dst_adjusted", "status",
                "submitted_at",
            ]
        ),
        (
            "sheets",
            [
                "sheet_id", "enrolment_id", "participant_id", "arm", "occasion_id", "instrument", "study_day",
                "standing",
                "submitted_at", "submitted_tz", "received_at",
            ]
        ),
        (
            "reminders",
            ["enrolment_id", "participant_id", "local_date", "planned_at", "occasion_count", "rule"]
        ),
        (
            "decisions",
            [
                "enrolment_id", "participant_id", "arm", "rule", "study_day", "moment", "decided_at",
                "outcome",
                "available", "probability", "draw", "sent_at",
            ]
        ),
    ]

    /// - Throws: `CommandFault` if the folder exists.
    init(directory: String) throws {
        self.directory = URL(filePath: directory)
        guard !FileManager.default.fileExists(atPath: directory) else {
            throw CommandFault("\(directory) already exists; use a new folder")
        }
        let data = self.directory.appending(path: "data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        for table in Self.tables {
            let url = data.appending(path: "\(table.name).csv")
            try Data().write(to: url, options: .withoutOverwriting)
            files.append((try FileHandle(forWritingTo: url), CSVText(header: table.header)))
        }
    }

    mutating func add(_ participants: [ParticipantSimulation]) throws {
        for participant in participants {
            let enrolment = participant.enrolmentID.description
            let participantID = "P\(participant.course.index + 1)"
            files[0].text.add([
                enrolment, participantID, participant.arm, participant.course.joinedAt.description,
                participant.course.home.id,
                participant.enrolledOn.description, participant.course.leavesAt?.description,
                participant.course.leavesAt == nil ? "active" : "stopped",
                participant.course.stopsAnsweringAt?.description,
            ])
            for occasion in participant.occasions { add(occasion, of: participant, enrolment, participantID) }
            for (number, sheet) in participant.unscheduled.enumerated() {
                let zone = participant.course.zone(at: sheet.at)
                files[2].text.add([
                    "\(enrolment)-\(number)", enrolment, participantID, participant.arm, nil,
                    sheet.questionnaire,
                    "\(zone.local(of: sheet.at).date.days - participant.enrolledOn.days)",
                    Timeliness.unscheduled.rawValue,
                    sheet.at.description, zone.id, sheet.receivedAt.description,
                ])
            }
            for reminder in participant.reminders {
                files[3].text.add([
                    enrolment, participantID, reminder.date.description, reminder.at.description,
                    "\(reminder.count)", reminder.rule,
                ])
            }
            for decision in participant.decisions where decision.isLogged {
                let moment = decision.point.moment
                let date = participant.course.zone(at: moment).local(of: moment).date
                files[4].text.add([
                    enrolment, participantID, participant.arm, decision.point.rule,
                    "\(date.days - participant.enrolledOn.days)", moment.description,
                    decision.decidedAt.description, decision.outcome.rawValue,
                    decision.isAvailable ? "1" : "0", decision.probability.map { JSON.double($0).text },
                    decision.draw.map { JSON.double($0).text }, decision.sendAt?.description,
                ])
            }
        }
        for index in files.indices {
            try files[index].handle.write(contentsOf: Data(files[index].text.take()))
        }
    }

    private mutating func add(
        _ occasion: Occasion, of participant: ParticipantSimulation, _ enrolment: String,
        _ participantID: String
    ) {
        let studyDay = "\(occasion.localDate.days - participant.enrolledOn.days)"
        let window = occasion.window
        files[1].text.add([
            occasion.id.description, enrolment, participantID, participant.arm, occasion.questionnaire,
            occasion.key.schedule,
            occasion.key.anchorInstance.isEmpty ? nil : occasion.key.anchorInstance, studyDay,
            "\(occasion.key.dayIndex)",
            "\(occasion.key.slotIndex)", occasion.localDate.description, window.openAt.description,
            window.dueAt.description, window.closeAt.description, occasion.zone.id,
            occasion.isDSTAdjusted ? "1" : "0",
            occasion.state(at: participant.until).rawValue, occasion.completedAt?.description,
        ])
        guard let at = occasion.completedAt else { return }
        files[2].text.add([
            occasion.sheetID?.description, enrolment, participantID, participant.arm, occasion.id.description,
            occasion.questionnaire, studyDay, window.timeliness(of: at, latePolicy: .flag).rawValue,
            at.description,
            participant.course.zone(at: at).id, participant.receivedAt[occasion.id]?.description,
        ])
    }

    /// Closes the tables and writes the report.
    mutating func close(summary: JSON) throws {
        for file in files { try file.handle.close() }
        try Data(summary.bytes).write(
            to: directory.appending(path: "report.json"), options: .withoutOverwriting)
    }
}
