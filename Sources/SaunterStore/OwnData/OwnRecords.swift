import SaunterCore

/// The lists of a participant's own data that are read page by page. The raw values are the names of their files.
package enum OwnRecords: String, Sendable, CaseIterable {
    case occasions, walks, calibrations, observations, devices, edits, conflicts
    case usageEvents = "usage_events"
    case messages
    case snoozes
    case content, decisions, inbox

    /// How many records are read at once. The body of a walk, an observation or a conflict can have 16 MiB, and that of
    /// an edit 1 MiB.
    package var pageSize: Int {
        switch self {
        case .walks, .observations, .conflicts: 1
        case .edits: 10
        default: 500
        }
    }

    /// The statement that reads a page.
    var statement: String {
        switch self {
        case .occasions: "list_own_occasions"
        case .walks: "list_own_walks"
        case .calibrations: "list_own_calibrations"
        case .observations: "list_own_observations"
        case .devices: "list_own_devices"
        case .edits: "list_own_edits"
        case .conflicts: "list_own_conflicts"
        case .usageEvents: "list_own_usage_events"
        case .messages: "list_own_reminders"
        case .snoozes: "list_own_reminder_snoozes"
        case .content: "list_own_content_selections"
        case .decisions: "list_own_decisions"
        case .inbox: "list_own_inbox_messages"
        }
    }

    /// The position before the first record.
    package var start: OwnPosition {
        switch self {
        case .walks: .beforeFirstInstant
        case .messages: OwnPosition(["", "", 0])
        case .snoozes: OwnPosition([OwnPosition.firstID, 0])
        case .content, .decisions: OwnPosition(["", "", ""])
        case .conflicts: OwnPosition(["", OwnPosition.firstID, ""])
        default: OwnPosition([OwnPosition.firstID])
        }
    }
}

/// A position in a list of own data: the values by which the list is sorted.
package struct OwnPosition: Sendable, Hashable {
    let values: JSON

    init(_ values: JSON) {
        self.values = values
    }

    /// Sorts before every other id.
    static let firstID = JSON.string("00000000-0000-0000-0000-000000000000")
    /// The start of lists that are sorted by time.
    static let beforeFirstInstant = OwnPosition(["-infinity", firstID])
    /// The start of the answer sheets.
    package static let beforeFirstSheet = OwnPosition(["-infinity", firstID, 0])
    /// The start of the summaries of walks.
    package static let beforeFirstWalk = beforeFirstInstant
}

/// A revision of an answer sheet with everything that is stored about it.
package struct OwnSheet: Sendable {
    /// The revision, with its texts and without scores.
    package var sheet: StoredSheet
    /// All stored members except answers and scores, as JSON.
    package var body: JSONObject
    /// All scores that were ever computed for this revision, as JSON.
    package var scores: [JSON]
}
