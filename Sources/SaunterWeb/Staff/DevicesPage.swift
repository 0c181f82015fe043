import SaunterCore
import SaunterServer

/// The page that lists the devices of the participants of one study, with the records that have not arrived.
struct DevicesPage: Sendable {
    private static let filters = ["missing"]

    let context: PageContext

    var devices: Route {
        context.get("/staff/{study}/devices", query: Self.filters + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let code = try request.path("study")
            let path = "/v1/studies/\(PageAddress.encodePart(code))"
            let query = try StaffQuery(
                request, path: StaffStudyPage.devices.address(code), filters: Self.filters)
            let list = try await request.get("\(path)/devices", query: query.ofRoute)
            let table = table(list, of: code, request)
            if query.isCSV { return table.csvReply }
            var frame = try await StaffFrame.study(code, .devices, request)
            frame.modules.append("refresh")
            var model = table.model(query, request.words)
            // No filter hides a device with unsent records.
            if query["cursor"].isEmpty { model["empty"] = table.emptyText }
            return context.renderer.page(
                "staff_participants", title: request.words.text("staff", "devices"),
                ["table": model, "stream": StaffFrame.stream(code)], frame: frame, of: request)
        }
    }

    private func table(_ list: JSON, of study: String, _ request: PageRequest) -> StaffTable {
        func text(_ name: String) -> String { request.words.text("devices", name) }
        func number(_ name: String) -> StaffTable.Column { .init(title: text(name), isNumber: true) }
        let participants = StaffStudyPage.participants.address(study)
        return StaffTable(
            name: "\(study)-devices", caption: text("caption"),
            columns: [
                .init(title: request.words.text("staff", "pseudonym")), .init(title: text("device")),
                number("newest"), number("missing_count"), .init(title: text("missing")), number("oldest"),
                .init(title: text("last_seen")),
            ],
            rows: (list["items"]?.array ?? []).map { Self.row(DeviceView($0), participants) },
            filters: [
                .init(
                    name: "missing", title: text("show"),
                    options: [("", text("all")), ("true", text("only_missing"))])
            ],
            asOf: request.call.now, next: list["next"]?.string,
            emptyText: text(request.call.query("missing") == "true" ? "none" : "none_yet"),
            live: "enrolment answer_sheet walk observation")
    }

    private static func row(_ device: DeviceView, _ participants: String) -> [StaffTable.Cell] {
        [
            .link(
                device.pseudonym, address: "\(participants)/\(PageAddress.encodePart(device.pseudonym))"),
            .text(device.id), .number(device.newest), .number(device.missingCount), .text(device.missing),
            .number(device.oldest), .moment(device.lastSeen),
        ]
    }
}

/// A device of `GET /v1/studies/{study}/devices` in words.
struct DeviceView {
    private let item: JSON

    init(_ item: JSON) { self.item = item }

    var pseudonym: String { item["participant_id"]?.string ?? "" }
    var id: String { item["device_id"]?.string ?? "" }
    /// The highest number that has arrived.
    var newest: Int? { item["newest"]?.int }
    /// How many lower numbers have not arrived.
    var missingCount: Int? { item["missing_count"]?.int }
    var lastSeen: Instant? { item["last_seen_at"]?.instant }
    /// The lowest number that has not arrived; nil if all have.
    var oldest: Int? { ranges.first?.lowerBound }

    /// The numbers that have not arrived, such as `1, 3–4`. Ends with `…` if the API does not list all.
    var missing: String {
        let texts = ranges.map {
            $0.count == 1 ? String($0.lowerBound) : "\($0.lowerBound)–\($0.upperBound)"
        }
        let isComplete = ranges.reduce(0) { $0 + $1.count } >= missingCount ?? 0
        return (texts + (isComplete ? [] : ["…"])).joined(separator: ", ")
    }

    private var ranges: [ClosedRange<Int>] {
        (item["missing"]?.array ?? []).compactMap { range in
            guard let from = range["from"]?.int, let to = range["to"]?.int, from <= to else { return nil }
            return from...to
        }
    }
}
