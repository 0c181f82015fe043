import SaunterCore

/// What a client asks for: study, profile, filters, formats, language and instant.
package struct DatasetRequest: Sendable, Hashable {
    /// The code of the study.
    package var study: String
    /// The profile that is applied to the data.
    package var profile: DatasetProfile
    /// The part of the study.
    package var filters: DatasetFilters
    /// The formats of the tables in addition to the canonical files.
    package var formats: Set<DatasetFormat>
    /// The language of labels; nil means the first language of the study.
    package var language: String?
    /// The instant whose state the dataset shows, with what had happened and had been received by then. It is not in
    /// the future. Nil means the present.
    package var asOf: Instant?

    /// Creates a request; by default for the coded, complete study as canonical files.
    package init(
        study: String, profile: DatasetProfile = .coded, filters: DatasetFilters = DatasetFilters(),
        formats: Set<DatasetFormat> = [], language: String? = nil, asOf: Instant? = nil
    ) {
        self.study = study
        self.profile = profile
        self.filters = filters
        self.formats = formats
        self.language = language
        self.asOf = asOf
    }

    /// The SHA-256 digest of the request in lower-case hexadecimal. It does not depend on the order of codes and
    /// formats.
    package var digest: String { json.digest }

    var json: JSON {
        [
            "study": .string(study), "profile": .string(profile.rawValue),
            "profile_version": .string(profile.version), "filters": filters.json,
            "formats": .array(formats.map(\.rawValue).sorted().map(JSON.string)),
            "language": .optional(language, JSON.string),
            "as_of": .optional(asOf) { .string($0.description) },
        ]
    }
}
