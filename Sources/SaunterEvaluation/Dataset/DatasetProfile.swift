import SaunterCore

/// The transformation that is applied to the data of an export. Each profile has a name and a version, and the manifest
/// lists its measures.
package enum DatasetProfile: String, Sendable, Hashable, CaseIterable {
    /// Pseudonyms instead of names, and coordinates with one decimal place. All other data are unchanged.
    case coded
    /// Nothing that identifies a participant: new pseudonyms, shifted dates, coarsened time zones, no free text.
    case deidentified
    /// Everything that is stored under pseudonyms, including earlier revisions of free text and device descriptions. It
    /// needs a separate permission.
    case full
    /// Only counts and means, each over at least `minimumParticipants` participants.
    case `public`

    /// The smallest group of participants for which the profile `public` publishes a number.
    package static let minimumParticipants = 11

    /// The version of the profile. It changes if the profile treats data differently.
    package var version: String { self == .deidentified ? "2" : "1" }

    /// How much the profile reveals. The right to one profile includes every profile with a smaller value.
    private var disclosure: Int {
        switch self {
        case .public: 0
        case .deidentified: 1
        case .coded: 2
        case .full: 3
        }
    }

    /// Whether the right to this profile includes the other profile.
    package func allows(_ other: DatasetProfile) -> Bool { other.disclosure <= disclosure }

    /// The measures of the profile as sentences, for the manifest, with those that only concern some studies.
    func measures(of definitions: StudyDefinitions) -> [String] {
        var all = usualMeasures
        if definitions.instruments.contains(where: \.asksForLocation) {
            switch self {
            case .coded: all.append("coordinates are only in locations.csv, with one decimal place")
            case .full: all.append("coordinates are only in locations.csv and location_revisions.csv")
            case .deidentified: all.append("coordinates and variables with coordinates as keys are left out")
            case .public: break
            }
        }
        if self == .deidentified, definitions.versions.contains(where: { !$0.study.entitlements.isEmpty }) {
            all.append("entitlements are left out")
        }
        if definitions.armNames != nil { all += Self.blindedMeasures }
        let purging = definitions.instruments.filter { instrument in
            instrument.versions.contains { $0.edit.deletion == .purge }
        }.map(\.code)
        if !purging.isEmpty {
            all.append(
                "the answers, texts and scores of deleted sheets of \(purging.joined(separator: ", ")) were removed "
                    + "from the database for good (deletion: purge); of such a sheet only the deleted row without answers remains"
            )
        }
        return all
    }

    /// The measures of the profile in every study, as sentences. The manifest can list further ones.
    /// - Parameter isBlinded: whether letters replace the codes of arms.
    package func measures(isBlinded: Bool) -> [String] {
        usualMeasures + (isBlinded ? Self.blindedMeasures : [])
    }

    private static let blindedMeasures = [
        "arms are letters, the same in all files of the study; reasons for changes of arm, positions in the "
            + "allocation list, the files of the study and the content library are left out",
        "what only one arm has (schedules, questionnaires, rules, content) and unequal ratios can still "
            + "reveal the arm",
    ]

    private var usualMeasures: [String] {
        let participants = "participants who were excluded and people who were erased are counted only"
        let deleted = "answers of sheets and walks that participants deleted are left out"
        let names = "participants appear under pseudonyms; names and addresses are not read"
        switch self {
        case .coded: return [names, participants, deleted]
        case .full:
            return [
                names, participants, deleted,
                "earlier revisions of free text and device descriptions are included",
            ]
        case .deidentified:
            return [
                "participants and all ids have pseudonyms by a keyed digest, new in every release",
                "all dates of a participant are moved into the past by the same number of whole weeks, 1 to 104, by a keyed digest",
                "time zones are reduced to their standard time in whole hours, and local times follow them",
                "free text, reasons, devices and columns that reveal the day of a clock change are left out",
                "strata of the allocation are left out: a stratum combines several traits, such as site and sex",
                participants, deleted,
                "while a study runs, the last days of active participants reveal the day of the release: publish "
                    + "after the end",
            ]
        case .public:
            return [
                "no data of individual participants: counts and means only",
                "every number is of \(Self.minimumParticipants) participants or more; if one is suppressed, others are suppressed, too, "
                    + "so that it cannot be computed by subtraction",
                participants, deleted,
            ]
        }
    }
}
