import SaunterCore
import SaunterEvaluation
import SaunterStore

extension DatasetRequest {
    /// From the body of the request that asked for the dataset; what is absent asks for nothing.
    init(study: String, body: JSON) {
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
                }))
    }

    /// What a job was asked for.
    /// - Throws: when it is of a profile that this server does not know.
    init(_ job: ExportJob) throws {
        self.init(study: job.study, body: job.filters)
        guard let profile = DatasetProfile(rawValue: job.profile) else { throw Problem(.internalError) }
        self.profile = profile
    }

    /// Each code once, in an order of their own, so that the same request is the same whoever writes it.
    private static func codes(_ list: JSON?) -> [String] {
        Set((list?.array ?? []).compactMap(\.string)).sorted()
    }
}
