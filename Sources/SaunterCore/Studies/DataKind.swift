/// A kind of personal data that is collected only with the participant's own consent, which can be revoked.
///
/// It covers the items that name it in `data_kind`, and the walk series and observations that it lists.
package struct DataKind: Sendable, Hashable {
    /// An observation code with its system.
    package struct Code: Sendable, Hashable {
        /// The URI of the code system, such as `http://loinc.org`.
        package var system: String
        /// The code in that system.
        package var code: String

        /// Creates a code without checking it.
        package init(system: String, code: String) {
            self.system = system
            self.code = code
        }
    }

    /// A series of a walk that a data kind can cover. The raw values are the names of the API.
    package enum WalkSeries: String, Sendable, Hashable, CaseIterable {
        case speed = "speed_kmh"
        case heartRate = "heart_rate_bpm"
        case distance = "distance_m"
        case energy = "active_energy_kcal"
    }

    /// The code of the kind, unique in the study.
    package var code: String
    /// The series of walks that belong to the kind.
    package var walkSeries: [WalkSeries]
    /// The codes of observations that belong to the kind.
    package var observations: [Code]

    /// Creates a kind; by default without walks and observations.
    package init(code: String, walkSeries: [WalkSeries] = [], observations: [Code] = []) {
        self.code = code
        self.walkSeries = walkSeries
        self.observations = observations
    }
}

/// A period in which a participant permitted the collection of a data kind.
package struct DataKindGrant: Sendable, Hashable {
    /// The code of the data kind.
    package var kind: String
    /// When the participant gave the permission.
    package var grantedAt: Instant
    /// Nil while the permission lasts.
    package var revokedAt: Instant?
    /// When the participant deleted the data of the period. After that, the server accepts no data of the period.
    /// Nil if the data is kept.
    package var purgedAt: Instant?

    /// Creates a permission; by default one that lasts.
    package init(kind: String, grantedAt: Instant, revokedAt: Instant? = nil, purgedAt: Instant? = nil) {
        self.kind = kind
        self.grantedAt = grantedAt
        self.revokedAt = revokedAt
        self.purgedAt = purgedAt
    }
}

extension Sequence<DataKindGrant> {
    /// Whether the participant permitted the kind at an instant. A permission that is given later does not cover
    /// earlier data.
    package func permit(_ kind: String, at instant: Instant) -> Bool {
        contains { grant in
            grant.kind == kind && grant.purgedAt == nil && grant.grantedAt <= instant
                && (grant.revokedAt.map { instant < $0 } ?? true)
        }
    }

    /// When the current permission of a kind began; nil if the kind is not permitted now.
    package func permittedSince(_ kind: String) -> Instant? {
        first { $0.kind == kind && $0.revokedAt == nil }?.grantedAt
    }
}

extension Questionnaire {
    /// Code of a data kind -> the linkIds of the items that belong to it, also those in repeating groups.
    package var itemsByDataKind: [String: Set<String>] {
        let items = questions + repeatedQuestions.map(\.item)
        return items.reduce(into: [:]) { found, item in
            if let kind = item.dataKind { found[kind, default: []].insert(item.linkId) }
        }
    }
}

extension Study {
    /// The kinds that the participant did not permit for data from `start` to `end`.
    package func forbiddenDataKinds(
        _ grants: some Sequence<DataKindGrant>, from start: Instant, to end: Instant
    ) -> [DataKind] {
        dataKinds.filter { !grants.permit($0.code, at: start) || !grants.permit($0.code, at: end) }
    }

    /// The codes of the kinds that the participant did not permit at an instant.
    package func forbiddenDataKinds(_ grants: some Sequence<DataKindGrant>, at instant: Instant) -> Set<
        String
    > {
        Set(forbiddenDataKinds(grants, from: instant, to: instant).map(\.code))
    }
}
