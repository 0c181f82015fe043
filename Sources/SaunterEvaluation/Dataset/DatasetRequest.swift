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
    /// Whether letters replace the codes of arms. The filter for arms then contains letters.
    package var isBlinded: Bool

    /// Creates a request; by default for the coded, complete study as canonical files, with the codes of arms.
    package init(
        study: String, profile: DatasetProfile = .coded, filters: DatasetFilters = DatasetFilters(),
        formats: Set<DatasetFormat> = [], language: String? = nil, asOf: Instant? = nil,
        isBlinded: Bool = false
    ) {
        self.study = study
        self.profile = profile
        self.filters = filters
        self.formats = formats
        self.language = language
        self.asOf = asOf
        self.isBlinded = isBlinded
    }

    /// The SHA-256 digest of the request in lower-case hexadecimal. It does not depend on the order of codes and
    /// formats.
    package var digest: String { json.digest }

    var json: JSON {
        var object: JSONObject = [
            "study": .string(study), "profile": .string(profile.rawValue),
            "profile_version": .string(profile.version), "filters": filters.json,
            "formats": .array(formats.map(\.rawValue).sorted().map(JSON.string)),
            "language": .optional(language, JSON.string),
            "as_of": .optional(asOf) { .string($0.description) },
        ]
        // Requests for codes keep the digest that they had before there were letters.
        if isBlinded { object["blinded"] = true }
        return .object(object)
    }
}
