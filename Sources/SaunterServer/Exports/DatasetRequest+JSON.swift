import SaunterCore
import SaunterEvaluation
import SaunterStore

extension DatasetRequest {
    /// The dataset that a request body describes. A missing member adds no filter and no format.
    /// - Parameter isBlinded: whether letters replace the codes of arms. The arms of the body are then letters.
    init(study: String, body: JSON, isBlinded: Bool) {
        self.init(
            study: study,
            profile: body["profile"]?.string.flatMap { DatasetProfile(rawValue: $0) } ?? .coded,
            filters: DatasetFilters(
                from: body["from"]?.string.flatMap { LocalDate($0) },
                to: body["to"]?.string.flatMap { LocalDate($0) },
                questionnaires: Self.codes(body["questionnaires"]), arms: Self.codes(body["arms"])),
            formats: Set(
                (body["formats"]?.array ?? []).compactMap {
                    $0.string.flatMap { DatasetFormat(rawValue: $0) }
                }), language: body["language"]?.string,
            asOf: body["as_of"]?.string.flatMap { Instant($0) }, isBlinded: isBlinded)
    }

    /// The dataset that a job makes.
    /// - Throws: `Problem` of type `internal` if this server does not know the job's profile.
    init(_ job: ExportJob) throws {
        self.init(study: job.study, body: job.filters, isBlinded: job.isBlinded)
        guard let profile = DatasetProfile(rawValue: job.profile) else { throw Problem(.internalError) }
        self.profile = profile
    }

    /// The codes without duplicates, sorted, so that equal requests have equal digests.
    private static func codes(_ list: JSON?) -> [String] {
        Set((list?.array ?? []).compactMap(\.string)).sorted()
    }
}
