/// What is done to the data on their way out. Each profile is named, versioned, and told in the manifest.
package enum DatasetProfile: String, Sendable, Hashable, CaseIterable {
    /// Pseudonyms instead of people; everything else as it is.
    case coded
    /// Nothing that leads back to a person: new pseudonyms, dates moved, zones coarsened, no free text.
    case deidentified
    /// Everything that is stored under pseudonyms, earlier wordings and devices' own words included. It takes a
    /// permission of its own.
    case full
    /// Counts and means only, each of enough people.
    case `public`

    /// Of how many people a number must at least be, to be published.
    package static let leastPeople = 11

    package var version: String { "1" }

    /// How much it tells: whoever may have one profile may have every one that tells less.
    private var reach: Int {
        switch self {
        case .public: 0
        case .deidentified: 1
        case .coded: 2
        case .full: 3
        }
    }

    /// Whether this right allows a dataset of the other profile.
    package func allows(_ other: DatasetProfile) -> Bool { other.reach <= reach }

    /// In words, for the manifest.
    var measures: [String] {
        let people = "participants who were excluded and people who were erased are counted only"
        let deleted = "answers of sheets and walks that participants deleted are left out"
        let names = "participants appear under pseudonyms; names and addresses are not read"
        switch self {
        case .coded: return [names, people, deleted]
        case .full:
            return [
                names, people, deleted,
                "earlier wordings of free text and what devices said of themselves are told",
            ]
        case .deidentified:
            return [
                "participants and all ids have pseudonyms by a keyed digest, new in every release",
                "all dates of a person are moved into the past by one number of days, 1 to 730, by a keyed digest",
                "time zones are told as their standard time in whole hours, and wall clocks follow that",
                "free text, reasons, devices and what tells the day of a clock change are left out",
                "strata of the allocation are left out: they join several traits, such as place and sex, in one",
                people, deleted,
                "while a study runs, the last days of those who take part tell of the day of the release: publish "
                    + "after the end",
            ]
        case .public:
            return [
                "nothing is told of single people: counts and means only",
                "every number is of \(Self.leastPeople) people or more; where one is held back, others are too, "
                    + "so that it cannot be found by subtracting",
                people, deleted,
            ]
        }
    }
}
