import SaunterCore
import SaunterStore

extension ValueLabels {
    /// The codes of the files about people and what happened in their apps.
    static let people: [(set: String, codes: [(code: String, label: String)])] = [
        ("enrolment_status", EnrolmentState.allCases.map { ($0.rawValue, $0.label) }),
        ("usage_event", UsageEventSubmission.Event.allCases.map { ($0.rawValue, $0.label) }),
        (
            "tombstone_kind",
            [
                ("excluded", "Left out at the participant's wish"),
                ("erased", "Erased at the person's wish"),
            ]
        ),
    ]
    /// Codes that are of the design of a study, or of what a sensor says.
    static let design: [(set: String, codes: [(code: String, label: String)])] = [
        ("allocation_method", Allocation.Method.allCases.map { ($0.rawValue, $0.label) }),
        ("observation_modality", Observation.Modality.allCases.map { ($0.rawValue, $0.label) }),
    ]
}

extension EnrolmentState {
    fileprivate var label: String {
        switch self {
        case .active: "Takes part, or took part to the end"
        case .stopped: "Stopped before the end; the data are kept"
        case .excluded: "Left out of datasets at the participant's wish"
        }
    }
}

extension UsageEventSubmission.Event {
    fileprivate var label: String {
        switch self {
        case .appOpened: "App opened"
        case .appClosed: "App closed"
        case .screenSeen: "Screen seen"
        case .promptDelivered: "Prompt arrived"
        case .promptOpened: "Prompt opened"
        case .promptDismissed: "Prompt dismissed"
        case .sheetBegun: "Answer sheet begun"
        case .sheetLeft: "Answer sheet left unfinished"
        case .permissionChanged: "Permission given or withdrawn"
        case .appUpdated: "App updated"
        }
    }
}

extension Allocation.Method {
    fileprivate var label: String {
        switch self {
        case .simple: "Every participant by a draw of their own"
        case .permutedBlocks: "By one list of permuted blocks"
        case .stratifiedBlocks: "By a list of permuted blocks for each stratum"
        case .minimisation: "To the arm that evens factors out"
        }
    }
}

extension Observation.Modality {
    fileprivate var label: String {
        switch self {
        case .sensed: "Measured by a sensor"
        case .selfReported: "Told by the participant"
        }
    }
}
