import SaunterCore
import SaunterServer
import SaunterStore

/// A page of the menu of one study.
enum StaffStudyPage: CaseIterable {
    case overview, participants, adherence, scores, walks, messages, exports, alerts, join
    case versions, broadcasts, rules, variables, devices, arms, roles, audit, tokens

    /// The pages behind “More” in the menu.
    static let more: Set<Self> = [
        .versions, .broadcasts, .rules, .variables, .devices, .arms, .roles, .audit, .tokens,
    ]

    /// The role that the page needs; nil for any role in the study.
    var role: Role? {
        switch self {
        case .overview, .join, .versions: nil
        case .alerts, .broadcasts, .audit, .roles: .coordinator
        default: .researcher
        }
    }

    /// The name of its title in the words of staff pages.
    var word: String {
        switch self {
        case .overview: "overview"
        case .participants: "participants"
        case .adherence: "adherence"
        case .walks: "walks"
        case .scores: "scores"
        case .messages: "messages"
        case .versions: "versions"
        case .broadcasts: "broadcasts"
        case .devices: "devices"
        case .arms: "arms"
        case .rules: "rules"
        case .variables: "variables"
        case .alerts: "alerts"
        case .audit: "audit"
        case .roles: "roles"
        case .join: "join"
        case .exports: "exports"
        case .tokens: "tokens"
        }
    }

    /// Whether the study has something for the page. A page without content is not in the menu.
    func hasContent(in study: StaffStudyView) -> Bool {
        switch self {
        case .walks: study.hasWalks
        case .arms: study.hasArms
        default: true
        }
    }

    func address(_ study: String) -> String {
        switch self {
        case .overview: PageAddress.staff(study)
        case .alerts: "/staff/alerts?study=\(PageAddress.encode(study))"
        default: "\(PageAddress.staff(study))/\(word)"
        }
    }
}

/// What staff pages show around their content: the menu, and the way back to the list of studies.
enum StaffFrame {
    /// The frame of a page about all studies of the visitor.
    /// - Parameter word: the name of its title in the words of staff pages.
    static func general(_ word: String, _ request: PageRequest) -> PageFrame {
        var frame = plain
        let pages = [("title", "/staff")] + (isCoordinator(request) ? [("alerts", "/staff/alerts")] : [])
        // A menu with one entry leads nowhere.
        if pages.count > 1 {
            frame.navigation = pages.map { name, address in
                PageFrame.Link(title: text(request, name), address: address, isCurrent: name == word)
            }
        }
        return frame
    }

    /// The frame of a page about one study.
    /// - Parameters:
    ///   - title: what the page shows in place of the title of the live version; nil for that title.
    ///   - current: its entry in the menu; nil for a page below one.
    static func study(
        _ code: String, title: String? = nil, _ current: StaffStudyPage?, _ request: PageRequest
    ) async throws -> PageFrame {
        let study: StaffStudyView
        do {
            study = StaffStudyView(try await StaffStudyView.item(of: code, request), request.words)
        } catch let problem as Problem where problem.type == .passwordRequired {
            // A page that keeps what was typed is shown. Nothing of the study can be read before the password.
            study = StaffStudyView(["study": .string(code)], request.words)
        }
        return self.study(study, title: title, current, request)
    }

    /// The frame of a page that has read the study itself.
    static func study(
        _ study: StaffStudyView, title: String? = nil, _ current: StaffStudyPage?, _ request: PageRequest
    ) -> PageFrame {
        var frame = plain
        let (code, title) = (study.code, title ?? study.title)
        frame.studyTitle = title
        frame.home = PageAddress.staff(code)
        frame.breadcrumb = [PageFrame.Link(title: text(request, "title"), address: "/staff")]
        if current != .overview {
            frame.breadcrumb.append(PageFrame.Link(title: title, address: frame.home))
        }
        let pages = StaffStudyPage.allCases.filter { page in
            page.hasContent(in: study)
                && page.role.map { request.identity?.grant($0, study: code) != nil } ?? true
        }
        func links(_ pages: [StaffStudyPage]) -> [PageFrame.Link] {
            pages.map {
                PageFrame.Link(
                    title: text(request, $0.word), address: $0.address(code), isCurrent: $0 == current)
            }
        }
        frame.navigation = links(pages.filter { !StaffStudyPage.more.contains($0) })
        frame.more = links(pages.filter(StaffStudyPage.more.contains))
        return frame
    }

    /// The frame of a page without a menu.
    static var plain: PageFrame {
        PageFrame(home: "/staff", isLoggedIn: true, modules: ["staff"], styles: ["pages", "staff"])
    }

    /// The address of the changes of a study, for the script that refreshes a page.
    static func stream(_ study: String) -> String { "/v1/studies/\(PageAddress.encodePart(study))/live" }

    private static func isCoordinator(_ request: PageRequest) -> Bool {
        request.identity?.has(.coordinator) ?? false
    }

    private static func text(_ request: PageRequest, _ name: String) -> String {
        request.words.text("staff", name)
    }
}
