import SaunterCore
import SaunterStatistics

/// The statistics of one questionnaire of a study: a part of the report, for a server that stores and shows it.
package struct QuestionnaireStatistics: Sendable {
    /// Increased when the same data give another result.
    private static let software = "3"

    /// The instant of the snapshot.
    package let asOf: Instant
    /// The last change of the study that the statistics include.
    package let changeSequence: Int64
    /// Identifies the state of the study; nil if some committed change had no number yet.
    package let tag: String?
    /// One report for each version with sheets.
    package let instruments: [InstrumentReport]

    init(asOf: Instant, state: DatasetState, instruments: [InstrumentReport]) {
        self.asOf = asOf
        self.instruments = instruments
        changeSequence = state.changeSequence
        tag =
            state.isWaiting
            ? nil : Self.tag(changeSequence: state.changeSequence, versions: state.versions)
    }

    /// The number of sheets of all versions.
    package var sheetCount: Int { instruments.reduce(0) { $0 + $1.sheetCount } }

    /// The result as it is stored: `as_of`, and `versions` as in `report.json`.
    package var json: JSON {
        ["as_of": .string(asOf.description), "versions": .array(instruments.map(\.json))]
    }

    /// Identifies the state of a study. Equal states give equal statistics.
    /// - Parameters:
    ///   - changeSequence: the number of the last change.
    ///   - versions: the published versions with their digests. Another version can have other scoring keys.
    package static func tag(changeSequence: Int64, versions: String) -> String {
        let state: JSON = [
            "change_seq": .int(Int(changeSequence)), "versions": .string(versions),
            "software": [.string(software), .string(Scoring.engineVersion)],
        ]
        return state.digest
    }

    /// Identifies a request: equal requests share their result.
    /// - Parameter isBlinded: whether letters replace the codes of arms.
    package static func digest(study: String, questionnaire: String, isBlinded: Bool) -> String {
        let request: JSON = [
            "study": .string(study), "statistics": .string(questionnaire), "blinded": .bool(isBlinded),
        ]
        return request.digest
    }

    /// The names of all figures with their meanings.
    package static var figures: [(name: String, meaning: String)] { ReportFigure.meanings }
    /// The reasons why a figure is undefined.
    package static let undefinedReasons = UndefinedStatistic.allCases.map(\.rawValue)
    /// The treatments of missing answers.
    package static let missingData = MissingData.allCases.map(\.rawValue)
}
