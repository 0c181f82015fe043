import HTTPTypes
import SaunterCore
import SaunterServer

/// The samples of one walk from the response of the API. Times are minutes since the start.
struct WalkSamples {
    /// A measured quantity over time. Nil means that there is no value at that time.
    typealias Series = [(minute: Double, value: Double?)]

    let speed: Series
    let heartRate: Series
    /// The target speed in km/h; nil without a calibration.
    let target: Double?
    /// The start and the end of each pause.
    let pauses: [(from: Double, to: Double)]
    /// The length of the walk.
    let minutes: Double

    /// - Parameter walk: the response of `GET …/walks/{walk_id}`.
    init(_ walk: JSON) {
        let times = (walk["series"]?["t_ms"]?.array ?? []).compactMap(\.double)
        func series(_ name: String) -> Series {
            let values = walk["series"]?[name]?.array ?? []
            guard values.count == times.count else { return [] }
            return zip(times, values).map { ($0 / 60_000, $1.double) }
        }
        speed = series("speed_kmh")
        heartRate = series("heart_rate_bpm")
        target = walk["summary"]?["target_speed_kmh"]?.double
        let start = walk["started_at"]?.instant
        func minute(_ instant: JSON?) -> Double? {
            guard let start, let instant = instant?.instant else { return nil }
            return Double(instant.milliseconds(since: start)) / 60_000
        }
        pauses = (walk["pauses"]?.array ?? []).compactMap { pause in
            guard let from = minute(pause["from"]), let to = minute(pause["to"]) else { return nil }
            return (from, to)
        }
        minutes = minute(walk["ended_at"]) ?? 0
    }

    /// The parts of a series without a gap or a pause inside.
    ///
    /// A gap is an interval of more than 30 seconds. It is also an interval with a missing value inside, if it is
    /// longer than 5 seconds and much longer than the usual interval of the series.
    func runs(_ series: Series) -> [[(minute: Double, value: Double)]] {
        let known = series.filter { $0.value != nil }.map(\.minute)
        let intervals = zip(known, known.dropFirst()).map { $1 - $0 }.sorted()
        let usual = intervals.isEmpty ? 0 : intervals[intervals.count / 2]
        let tolerated = max(5.0 / 60, 2.5 * usual)
        var runs: [[(minute: Double, value: Double)]] = []
        var run: [(minute: Double, value: Double)] = []
        var isMissing = false
        for point in series {
            guard let value = point.value else {
                isMissing = true
                continue
            }
            if let last = run.last {
                let interval = point.minute - last.minute
                let isPaused = pauses.contains { $0.from < point.minute && last.minute < $0.to }
                if interval > 0.5 || (isMissing && interval > tolerated) || isPaused {
                    runs.append(run)
                    run = []
                }
            }
            run.append((point.minute, value))
            isMissing = false
        }
        return run.isEmpty ? runs : runs + [run]
    }
}

extension WalkSamples {
    /// All samples of a walk as a file for a spreadsheet.
    /// - Parameters:
    ///   - walk: a walk with its samples.
    ///   - name: the name of the file without `.csv`.
    static func file(of walk: JSON, name: String) -> Reply {
        let columns = ["t_ms", "speed_kmh", "heart_rate_bpm", "distance_m", "active_energy_kcal"]
        let series = walk["series"] ?? .null
        let values = columns.map { series[$0]?.array ?? [] }
        let lines = values[0].indices.map { row in
            values.map { $0.indices.contains(row) && !$0[row].isNull ? $0[row].text : "" }
                .joined(separator: ",")
        }
        let text = ([columns.joined(separator: ",")] + lines).joined(separator: "\r\n") + "\r\n"
        return .bytes(
            Array(text.utf8), contentType: "text/csv; charset=utf-8",
            headers: [.contentDisposition: "attachment; filename=\"\(name).csv\""])
    }
}
