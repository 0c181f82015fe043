import SaunterCore
import SaunterServer

/// The messages that a participant got, the newest first.
struct MessageList {
    private let messages: [JSON]
    /// Occasion -> the title of its questionnaire, and whether it can be answered now.
    private let occasions: [String: (title: String, isOpen: Bool)]
    private let home: String
    private let words: Words.Language
    private let time: LocalTimeText
    private let now: Instant

    /// - Parameters:
    ///   - messages: the response of `GET …/messages`.
    ///   - prompts: the response of `GET …/prompts`.
    ///   - inbox: the response of `GET …/inbox`.
    ///   - occasions: the response of `GET …/occasions`.
    ///   - overview: the response of `GET …/overview`, which has the titles of questionnaires.
    init(
        _ messages: JSON, prompts: JSON, inbox: JSON, occasions: JSON, overview: JSON, home: String,
        words: Words.Language, time: LocalTimeText, now: Instant
    ) {
        let reminders = (messages["items"]?.array ?? []).filter { $0["sent_at"]?.instant != nil }
        self.messages = (reminders + (prompts["items"]?.array ?? []) + (inbox["items"]?.array ?? [])).sorted {
            (Self.moment(of: $0) ?? now) > (Self.moment(of: $1) ?? now)
        }
        self.occasions = Self.occasions(occasions, titles: Self.titles(overview))
        self.home = home
        self.words = words
        self.time = time
        self.now = now
    }

    /// Questionnaire -> title.
    static func titles(_ overview: JSON) -> [String: String] {
        Dictionary(
            (overview["items"]?.array ?? []).map {
                ($0["questionnaire"]?.string ?? "", $0["title"]?.string ?? "")
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func occasions(
        _ occasions: JSON, titles: [String: String]
    ) -> [String: (title: String, isOpen: Bool)] {
        Dictionary(
            (occasions["items"]?.array ?? []).map { occasion -> (String, (title: String, isOpen: Bool)) in
                let code = occasion["questionnaire"]?.string ?? ""
                let isOpen = ["open", "overdue"].contains(occasion["state"]?.string)
                return (occasion["occasion_id"]?.string ?? "", (titles[code] ?? code, isOpen))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The number of messages that the participant has neither opened nor dismissed.
    var unread: Int { messages.count(where: Self.isUnread) }

    private static func isUnread(_ message: JSON) -> Bool {
        message["opened_at"]?.instant == nil && message["dismissed_at"]?.instant == nil
    }

    /// When a reminder was sent, or when a rule decided.
    private static func moment(of message: JSON) -> Instant? {
        message["sent_at"]?.instant ?? message["created_at"]?.instant
    }

    /// For the template of the messages.
    var entries: [[String: Any]] { messages.map(entry) }

    /// The newest message if it is not read yet; otherwise nil. It is for the page Today, so it does not lead there.
    var newest: [String: Any]? {
        guard let message = messages.first, Self.isUnread(message) else { return nil }
        var newest = entry(message)
        if newest["target"] as? String == home { newest["may_open"] = false }
        return newest
    }

    private func entry(_ message: JSON) -> [String: Any] {
        message["rule"] == nil ? reminderEntry(message) : ruleEntry(message)
    }

    /// The message of a decision rule.
    private func ruleEntry(_ message: JSON) -> [String: Any] {
        let path = message["path"]?.string ?? ""
        var entry: [String: Any] = [
            "address": "\(home)/messages/\(message["message_id"]?.string ?? "")",
            "time": Self.moment(of: message).map { time.short($0, now: now) } ?? "",
            "unread": Self.isUnread(message), "title": message["subject"]?.string ?? "",
            "text": message["body"]?.string ?? "", "target": home + path,
            "may_open": !path.hasPrefix("https://"),
        ]
        if path.hasPrefix("https://") { entry["link"] = path }
        return entry
    }

    private func reminderEntry(_ message: JSON) -> [String: Any] {
        let subjects = (message["reminders"]?.array ?? []).compactMap { $0["subject"]?.string }
        let about = subjects.compactMap { occasions[$0] }
        let open = subjects.filter { occasions[$0]?.isOpen == true }
        let notices = message["notices"]?.array ?? []
        var entry: [String: Any] = [
            "address": "\(home)/messages/\(message["message_id"]?.string ?? "")",
            "time": message["sent_at"]?.instant.map { time.short($0, now: now) } ?? "",
            "unread": Self.isUnread(message),
            // One open occasion opens at once; several are on the page Today.
            "target": open.count == 1 ? "\(home)/o/\(open[0])" : home,
        ]
        if let notice = notices.first {
            entry["title"] = notice["subject"]?.string
            entry["text"] = notices.compactMap { $0["body"]?.string }.joined(separator: "\n\n")
        } else {
            entry["title"] = words.text("messages", "reminder")
            var titles: [String] = []
            for occasion in about where !titles.contains(occasion.title) { titles.append(occasion.title) }
            entry["text"] = titles.isEmpty ? words.text("messages", "daily") : titles.joined(separator: ", ")
        }
        if open.isEmpty, !about.isEmpty { entry["over"] = words.text("messages", "over") }
        entry["may_open"] = !open.isEmpty || about.isEmpty && notices.isEmpty
        return entry
    }
}
