import Foundation
import SaunterCohort
import SaunterCore
import SaunterEvaluation

/// The tables of a dry run in a new folder: columns are called what the dataset of a real study calls them. Written as people come, so that a large
/// run takes no more memory.
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
        ("reminders", ["enrolment_id", "participant_id", "local_date", "planned_at", "occasion_count"]),
    ]

    /// - Throws: `CommandFault` where the folder is there already.
    init(directory: String) throws {
        self.directory = URL(filePath: directory)
        guard !FileManager.default.fileExists(atPath: directory) else {
            throw CommandFault("\(directory) is there already; give a new folder")
        }
        let data = self.directory.appending(path: "data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        for table in Self.tables {
            let url = data.appending(path: "\(table.name).csv")
            try Data().write(to: url, options: .withoutOverwriting)
            files.append((try FileHandle(forWritingTo: url), CSVText(header: table.header)))
        }
    }

    mutating func add(_ lives: [SimulatedLife]) throws {
        for life in lives {
            let enrolment = life.enrolmentID.description
            let participant = "P\(life.course.place + 1)"
            files[0].text.add([
                enrolment, participant, life.arm, life.course.joinedAt.description, life.course.home.id,
                life.enrolledOn.description, life.course.leavesAt?.description,
                life.course.leavesAt == nil ? "active" : "stopped", life.course.silentFrom?.description,
            ])
            for occasion in life.occasions { add(occasion, of: life, enrolment, participant) }
            for (number, sheet) in life.unscheduled.enumerated() {
                let zone = life.course.zone(at: sheet.at)
                files[2].text.add([
                    "\(enrolment)-\(number)", enrolment, participant, life.arm, nil, sheet.questionnaire,
                    "\(zone.local(of: sheet.at).date.days - life.enrolledOn.days)",
                    Standing.unscheduled.rawValue,
                    sheet.at.description, zone.id, sheet.receivedAt.description,
                ])
            }
            for reminder in life.reminders {
                files[3].text.add([
                    enrolment, participant, reminder.date.description, reminder.at.description,
                    "\(reminder.count)",
                ])
            }
        }
        for place in files.indices {
            try files[place].handle.write(contentsOf: Data(files[place].text.take()))
        }
    }

    private mutating func add(
        _ occasion: Occasion, of life: SimulatedLife, _ enrolment: String, _ participant: String
    ) {
        let studyDay = "\(occasion.localDate.days - life.enrolledOn.days)"
        let window = occasion.window
        files[1].text.add([
            occasion.id.description, enrolment, participant, life.arm, occasion.questionnaire,
            occasion.key.schedule,
            occasion.key.anchorInstance.isEmpty ? nil : occasion.key.anchorInstance, studyDay,
            "\(occasion.key.dayIndex)",
            "\(occasion.key.slotIndex)", occasion.localDate.description, window.openAt.description,
            window.dueAt.description, window.closeAt.description, occasion.zone.id,
            occasion.dstAdjusted ? "1" : "0",
            occasion.state(at: life.until).rawValue, occasion.completedAt?.description,
        ])
        guard let at = occasion.completedAt else { return }
        files[2].text.add([
            occasion.sheetID?.description, enrolment, participant, life.arm, occasion.id.description,
            occasion.questionnaire, studyDay, window.standing(of: at, latePolicy: .flag).rawValue,
            at.description,
            life.course.zone(at: at).id, life.receivedAt[occasion.id]?.description,
        ])
    }

    /// Writes the report beside the tables.
    mutating func close(summary: JSON) throws {
        for file in files { try file.handle.close() }
        try Data(summary.bytes).write(
            to: directory.appending(path: "report.json"), options: .withoutOverwriting)
    }
}
