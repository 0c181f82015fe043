/// What is done to the data on their way out. More profiles are to come; each is named, versioned, and told
/// in the manifest.
package enum DatasetProfile: String, Sendable, Hashable, CaseIterable {
    /// Pseudonyms instead of people; everything else as it is.
    case coded

    package var version: String { "1" }

    /// In words, for the manifest.
    var measures: [String] {
        switch self {
        case .coded:
            [
                "participants appear under pseudonyms; names and addresses are not read",
                "participants who were excluded and people who were erased are counted only",
                "answers of sheets and walks that participants deleted are left out",
            ]
        }
    }
}
