import SaunterCore

/// Reliability, item statistics and courses of scores, ready to be written.
package struct StudyReport: Sendable {
    /// The study's code; nil for a table.
    package var study: String?
    /// The moment that everything is told as of; nil for a table.
    package var asOf: Instant?
    /// Which part of the study it is of; nil for a table.
    package var filters: DatasetFilters?
    package var instruments: [InstrumentReport]
    /// Nil for a table.
    package var adherence: AdherenceGrid?
    package var walks: [WalkPoint]?

    package init(
        study: String? = nil, asOf: Instant? = nil, filters: DatasetFilters? = nil,
        instruments: [InstrumentReport],
        adherence: AdherenceGrid? = nil, walks: [WalkPoint]? = nil
    ) {
        self.study = study
        self.asOf = asOf
        self.filters = filters
        self.instruments = instruments
        self.adherence = adherence
        self.walks = walks
    }

    package var sheetCount: Int { instruments.reduce(0) { $0 + $1.sheetCount } }

    package var json: JSON {
        [
            "study": .optional(study, JSON.string), "as_of": .optional(asOf) { .string($0.description) },
            "filters": .optional(filters, \.json),
            "questionnaires": .array(instruments.map(\.json)),
            "adherence": .optional(adherence, \.json),
            "walks": .optional(walks) { .array($0.map(\.json)) },
            "meanings": .object(
                JSONObject(
                    ReportFigure.meanings.map { JSONObject.Member(name: $0.name, value: .string($0.meaning)) }
                )),
        ]
    }
}
