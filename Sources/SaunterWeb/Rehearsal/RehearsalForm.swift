import SaunterCore
import SaunterServer

/// What the form of a rehearsal states: who the made-up participant is, which moment is shown, and what was answered.
/// The address of each page contains all of it, because nothing is stored.
struct RehearsalForm {
    /// The query parameters of all pages of a rehearsal.
    static let names = [
        "version", "enrolled", "day", "time", "arm", "language", "zone", "answered",
    ]
    /// The maximum number of answers in an address, which can have 2000 characters for them.
    static let maximumAnswers = 40
    /// The time of the enrolment that a new rehearsal begins with.
    private static let defaultEnrolment = LocalTime(hour: 8, minute: 0) ?? .midnight
    /// The time of day that a new rehearsal shows.
    private static let defaultTime = LocalTime(hour: 12, minute: 0) ?? .midnight

    /// An answer in the address: `<occasion or questionnaire>.<minutes since the enrolment>`.
    struct Answer: Hashable {
        /// The id of an occasion, or the code of a questionnaire.
        var subject: String
        /// Minutes since the enrolment.
        var minutes: Int

        var text: String { "\(subject).\(minutes)" }
    }

    /// The published version; nil for the draft.
    let version: String?
    /// The code of the arm; nil for the first one.
    let arm: String?
    /// The language of the texts; nil for the first one of the study that the visitor reads.
    let language: String?
    let zone: Zone
    /// The local date and time of the enrolment.
    let enrolledOn: LocalDate
    let enrolledTime: LocalTime
    /// The study day to show; 0 on the day of enrolment.
    let day: Int
    /// The local time to show.
    let time: LocalTime
    private(set) var answers: [Answer]

    /// - Parameters:
    ///   - value: the value of a query parameter; nil if it is absent.
    ///   - zone: the zone of the study, if the address names none.
    ///   - now: the day of this instant is the default for the enrolment.
    /// - Throws: `request-invalid` with each parameter that cannot be read.
    init(_ value: (_ name: String) -> String?, zone defaultZone: Zone, now: Instant) throws(Problem) {
        var faults: [Fault] = []
        func read<Value>(
            _ name: String, _ fallback: Value, _ parse: (String) -> Value?
        ) -> Value {
            guard let text = value(name), !text.isEmpty else { return fallback }
            guard let parsed = parse(text) else {
                faults.append(
                    Fault(pointer: "/\(name)", code: "wrong_format", detail: "\(name) cannot be read."))
                return fallback
            }
            return parsed
        }
        version = value("version").flatMap { $0.isEmpty ? nil : $0 }
        arm = value("arm").flatMap { $0.isEmpty ? nil : $0 }
        language = value("language").flatMap { $0.isEmpty ? nil : $0 }
        zone = read("zone", defaultZone) { Zone($0) }
        let today = zone.local(of: now).date
        (enrolledOn, enrolledTime) = read("enrolled", (today, Self.defaultEnrolment), Self.localMoment)
        day = read("day", 0) { text in Int(text).flatMap { (0...100_000).contains($0) ? $0 : nil } }
        time = read("time", Self.defaultTime) { LocalTime($0) }
        answers = read("answered", []) { text in
            let parts = text.split(separator: "~").map { Self.answer($0) }
            let found = parts.compactMap(\.self)
            return found.count == parts.count && found.count <= Self.maximumAnswers ? found : nil
        }
        guard faults.isEmpty else { throw Problem(.requestInvalid, Faults(faults)) }
    }

    /// `2026-11-21T08:00`, as a field for a local date and time sends it.
    private static func localMoment(_ text: String) -> (LocalDate, LocalTime)? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2, let date = LocalDate(parts[0]), let time = LocalTime(parts[1]) else {
            return nil
        }
        return (date, time)
    }

    private static func answer(_ text: Substring) -> Answer? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 36, let minutes = Int(parts[1]),
            (0...200_000_000).contains(minutes)
        else { return nil }
        return Answer(subject: String(parts[0]), minutes: minutes)
    }

    // MARK: - Instants

    /// When the made-up participant enrolled.
    var enrolledAt: Instant { instant(enrolledOn, enrolledTime) }

    /// The moment to show, not before the enrolment.
    var moment: Instant { max(instant(enrolledOn.adding(days: day), time), enrolledAt) }

    /// The first instant at which the clock shows this time. On a date that the zone skips, the next date begins.
    private func instant(_ date: LocalDate, _ time: LocalTime) -> Instant {
        guard
            case .instants(let first, _, _) = LocalResolver.resolve(
                date: date, secondsOfDay: time.seconds, zone: zone)
        else { return zone.startOfDay(date) }
        return first
    }

    // MARK: - The request

    /// The body for `POST /v1/studies/{study}/draft/rehearsal`.
    var body: JSON {
        var body: JSONObject = [
            "enrolled_at": .string(enrolledAt.description), "at": .string(moment.description),
            "time_zone": .string(zone.id),
            "answered": .array(
                answers.map { answer in
                    let isOccasion = OccasionID(answer.subject) != nil
                    return [
                        isOccasion ? "occasion_id" : "questionnaire": .string(answer.subject),
                        "at": .string(enrolledAt.adding(seconds: answer.minutes * 60).description),
                    ]
                }),
        ]
        body["arm"] = arm.map(JSON.string)
        body["language"] = language.map(JSON.string)
        return .object(body)
    }

    // MARK: - Addresses

    /// The fields with their values, in the order of `names`.
    var fields: [(name: String, value: String)] {
        let values = [
            "version": version ?? "", "enrolled": "\(enrolledOn)T\(enrolledTime)", "day": String(day),
            "time": time.description, "arm": arm ?? "", "language": language ?? "", "zone": zone.id,
            "answered": answers.map(\.text).joined(separator: "~"),
        ]
        return Self.names.compactMap { name in
            values[name].flatMap { $0.isEmpty ? nil : (name, $0) }
        }
    }

    /// A path with the query that states this rehearsal.
    /// - Parameter changes: other values of some fields; empty removes a field.
    func address(_ path: String, _ changes: [String: String] = [:]) -> String {
        let unchanged = fields.filter { changes[$0.name] == nil }
        let changed = Self.names.compactMap { name in
            changes[name].flatMap { $0.isEmpty ? nil : (name: name, value: $0) }
        }
        let pairs = (unchanged + changed).map { "\($0.name)=\(PageAddress.encode($0.value))" }
        return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
    }

    /// The rehearsal after an answer at its moment. The oldest answers are left out when there are too many.
    func answering(_ subject: String) -> RehearsalForm {
        var form = self
        let answer = Answer(
            subject: subject, minutes: Int(moment.milliseconds(since: enrolledAt) / 60_000))
        form.answers = Array((answers + [answer]).suffix(Self.maximumAnswers))
        return form
    }
}
