/// A kind of personal data that is collected only with the participant's own consent, which can be revoked.
///
/// It covers the items that name it in `data_kind`, and the walk series and observations that it lists.
package struct DataKind: Sendable, Hashable {
    /// An observation code with its system.
    package struct Code: Sendable, Hashable {
        /// The URI of the code system, such as `http://loinc.org`.
        package var system: String
        package var code: String

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
    package var walkSeries: [WalkSeries]
    package var observations: [Code]

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
    package var grantedAt: Instant
    /// Nil while the permission lasts.
    package var revokedAt: Instant?

    package init(kind: String, grantedAt: Instant, revokedAt: Instant? = nil) {
        self.kind = kind
        self.grantedAt = grantedAt
        self.revokedAt = revokedAt
    }
}

extension Sequence<DataKindGrant> {
    /// Whether the participant permitted the kind at an instant. A permission that is given later does not cover
    /// earlier data.
    package func permit(_ kind: String, at instant: Instant) -> Bool {
        contains { grant in
            grant.kind == kind && grant.grantedAt <= instant && (grant.revokedAt.map { instant < $0 } ?? true)
        }
    }
}
