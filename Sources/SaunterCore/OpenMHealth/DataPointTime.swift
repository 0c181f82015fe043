/// The time of a data point: an instant, or a time span. A span is given by two of start, end and duration.
package struct DataPointTime: Sendable, Hashable {
    /// The start of the span.
    package var from: Instant
    /// The end of the span; the same as `from` for an instant.
    package var to: Instant
    /// The sender's offset in minutes east of UTC, at the start, or at the end if the start is not given.
    package var offsetMin: Int

    /// Creates a time; an instant has equal ends.
    package init(from: Instant, to: Instant, offsetMin: Int) {
        self.from = from
        self.to = to
        self.offsetMin = offsetMin
    }

    /// Parses an `effective_time_frame`. Times without an offset are rejected, because they are ambiguous.
    init?(_ json: JSON?) {
        if let text = json?["date_time"]?.string {
            guard json?["time_interval"] == nil, let at = Instant(text) else { return nil }
            self.init(from: at, to: at, offsetMin: Self.offset(of: text))
            return
        }
        guard let span = json?["time_interval"] else { return nil }
        let start = span["start_date_time"]?.string
        let end = span["end_date_time"]?.string
        let from = start.flatMap { Instant($0) }
        let to = end.flatMap { Instant($0) }
        let length = Self.milliseconds(span["duration"])
        switch (from, to, length) {
        case (let from?, let to?, _): self.init(from: from, to: to, offsetMin: Self.offset(of: start ?? ""))
        case (let from?, nil, let length?):
            guard end == nil else { return nil }
            self.init(
                from: from, to: from.adding(milliseconds: length), offsetMin: Self.offset(of: start ?? ""))
        case (nil, let to?, let length?):
            guard start == nil else { return nil }
            self.init(from: to.adding(milliseconds: -length), to: to, offsetMin: Self.offset(of: end ?? ""))
        default: return nil
        }
    }

    /// The JSON form in UTC.
    /// - Parameter isSpan: whether an instant is written as a span of length 0, as in the schema
    ///   `step-count`, because steps are counted over a time span.
    package func json(isSpan: Bool = false) -> JSON {
        if from == to, !isSpan { return ["date_time": .string(from.description)] }
        return [
            "time_interval": [
                "start_date_time": .string(from.description), "end_date_time": .string(to.description),
            ]
        ]
    }

    /// Whether the JSON is a duration of the schema duration-unit-value: a number and a unit of time.
    static func isDuration(_ json: JSON) -> Bool {
        let units = ["ps", "ns", "us", "ms", "sec", "min", "h", "d", "wk", "Mo", "yr"]
        return json["value"]?.double != nil && json["unit"]?.string.map(units.contains) ?? false
    }

    /// A duration in milliseconds. Months and years have no fixed length and are not supported.
    private static func milliseconds(_ json: JSON?) -> Int64? {
        let lengths = [
            "ms": 1.0, "sec": 1000, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
            "wk": 604_800_000,
        ]
        guard let value = json?["value"]?.double, let length = json?["unit"]?.string.flatMap({ lengths[$0] }),
            (0...100_000_000_000).contains(value * length)
        else { return nil }
        return Int64((value * length).rounded())
    }

    /// The offset in minutes of a text that is a valid `Instant`.
    private static func offset(of text: String) -> Int {
        let tail = Array(text.utf8.suffix(6))
        guard tail.count == 6, tail[0] == UInt8(ascii: "+") || tail[0] == UInt8(ascii: "-"),
            let hours = Int(String(decoding: tail[1..<3], as: UTF8.self)),
            let minutes = Int(String(decoding: tail[4...], as: UTF8.self))
        else { return 0 }
        return (hours * 60 + minutes) * (tail[0] == UInt8(ascii: "-") ? -1 : 1)
    }
}
