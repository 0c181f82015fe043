import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The pages of the team of one study: its members, a form that invites a colleague, and the removal of a role. Names
/// and addresses of members are on these pages only.
struct RolesPage: Sendable {
    private static let grantedRoles = ["researcher", "coordinator", "editor"]

    let context: PageContext

    // MARK: The team

    var roles: Route {
        context.get("/staff/{study}/roles", query: ["sent"] + StaffQuery.names) { request in
            _ = try request.requireIdentity()
            let study = try request.path("study")
            let query = try StaffQuery(request, path: Self.address(study), filters: [])
            let list = try await request.get("\(Self.resource(study))/roles", query: query.ofRoute)
            let table = table(list, study, request)
            if query.isCSV { return table.csvReply }
            return try await page(study, table, query, FormFaults(request.words), request)
        }
    }

    var invite: Route {
        context.post("/staff/{study}/roles") { request in
            _ = try request.requireIdentity()
            let study = try request.path("study")
            var faults = FormFaults(request.words)
            check(&faults, request)
            if faults.isEmpty {
                do {
                    try await request.send(
                        .post, "\(Self.resource(study))/invitations", Self.body(request))
                    return PageRenderer.redirect("\(Self.address(study))?sent=1")
                } catch let problem as Problem {
                    switch problem.type {
                    case .passwordRequired: return try await passwordPage(study, request)
                    case .tooManyRequests: faults.add(request.tooManyText(problem), field: nil)
                    case .bodyInvalid: add(problem.faults, to: &faults, request)
                    default: throw problem
                    }
                }
            }
            let query = StaffQuery(path: Self.address(study), filters: [], values: [:])
            let list: JSON
            do {
                list = try await request.get("\(Self.resource(study))/roles", query: query.ofRoute)
            } catch let problem as Problem where problem.type == .passwordRequired {
                return try await passwordPage(study, request)
            }
            return try await page(study, table(list, study, request), query, faults, request)
        }
    }

    private static func address(_ study: String) -> String { StaffStudyPage.roles.address(study) }

    private static func resource(_ study: String) -> String { "/v1/studies/\(PageAddress.encodePart(study))" }

    // MARK: The form

    private func check(_ faults: inout FormFaults, _ request: PageRequest) {
        if request.field("name").allSatisfy(\.isWhitespace) {
            faults.add(request.words.text("roles", "fault_name"), field: "name")
        }
        if request.field("email").allSatisfy(\.isWhitespace) {
            faults.add(request.words.text("account", "email_invalid"), field: "email")
        }
        if !Self.grantedRoles.contains(request.field("role")) {
            faults.add(request.words.text("roles", "fault_role"), field: "role")
        }
    }

    private static func body(_ request: PageRequest) -> JSON {
        var body: JSONObject = [
            "email": .string(request.field("email").filter { !$0.isWhitespace }),
            "name": .string(request.field("name")), "role": .string(request.field("role")),
        ]
        // An empty box keeps the permission.
        for permission in ["full_export", "sees_arms"] where !request.field(permission).isEmpty {
            body[permission] = true
        }
        return .object(body)
    }

    private func add(_ found: [Fault], to faults: inout FormFaults, _ request: PageRequest) {
        for fault in found {
            switch (fault.pointer, fault.code) {
            case ("/email", "own_address"):
                faults.add(request.words.text("roles", "fault_own"), field: "email")
            case ("/email", _): faults.add(request.words.text("account", "email_invalid"), field: "email")
            case ("/name", _): faults.add(request.words.text("roles", "fault_name"), field: "name")
            case ("/full_export", _), ("/sees_arms", _):
                faults.add(
                    request.words.text("roles", "fault_permission"), field: String(fault.pointer.dropFirst()))
            default: faults.add(request.words.text("roles", "fault_role"), field: "role")
            }
        }
    }

    // MARK: The page

    private func table(_ list: JSON, _ study: String, _ request: PageRequest) -> StaffTable {
        let words = request.words
        func column(_ name: String, isAction: Bool = false) -> StaffTable.Column {
            StaffTable.Column(title: words.text("roles", name), isAction: isAction)
        }
        return StaffTable(
            name: "\(study)-team", caption: words.text("roles", "members"),
            columns: [
                column("name"), column("email"), column("role"), column("permissions"), column("since"),
                column("state"), column("remove", isAction: true),
            ],
            rows: (list["items"]?.array ?? []).map { row(StudyRoleView($0, words), study, words) },
            asOf: list["as_of"]?.instant ?? request.call.now, next: list["next"]?.string)
    }

    private func row(_ role: StudyRoleView, _ study: String, _ words: Words.Language) -> [StaffTable.Cell] {
        [
            .text(role.name), .text(role.email), .text(role.title), .text(role.permissions),
            .moment(role.since), .text(role.state),
            Self.grantedRoles.contains(role.role)
                ? .link(
                    words.text("roles", "remove_role", ["role": role.title]),
                    address: Self.address(study, role.account, role.role)) : .text(""),
        ]
    }

    private func page(
        _ study: String, _ table: StaffTable, _ query: StaffQuery, _ faults: FormFaults,
        _ request: PageRequest
    ) async throws -> Reply {
        var model = faults.model
        model["path"] = query.path
        model["table"] = table.model(query, request.words)
        if request.call.query("sent") != nil { model["sent"] = true }
        // The form is shown after the password, because what is typed would be lost on the way to that page.
        if request.identity?.session?.isConfirmed(at: request.call.now) ?? true {
            model["form"] = form(study, request)
        } else {
            model["password"] = StaffLoginPage.address(next: query.path)
        }
        return context.renderer.page(
            "staff_roles", title: request.words.text("staff", "roles"), model,
            frame: try await Self.frame(of: study, .roles, request), of: request, status: faults.status)
    }

    /// The form with what was typed, for a visitor whose password became too old in the meantime. The page for the
    /// password opens beside it.
    private func passwordPage(_ study: String, _ request: PageRequest) async throws -> Reply {
        let model: [String: Any] = [
            "path": Self.address(study), "form": form(study, request),
            "password_again": StaffLoginPage.address(next: Self.address(study)),
        ]
        let frame: PageFrame
        do {
            frame = try await Self.frame(of: study, .roles, request)
        } catch let problem as Problem where problem.type == .passwordRequired {
            frame = try await StaffFrame.study(study, .roles, request)
        }
        return context.renderer.page(
            "staff_roles", title: request.words.text("staff", "roles"), model, frame: frame, of: request,
            status: .unprocessableContent)
    }

    private func form(_ study: String, _ request: PageRequest) -> [String: Any] {
        var form: [String: Any] = [
            "name": request.field("name"), "email": request.field("email"),
            "options": Self.grantedRoles.map { role -> [String: Any] in
                [
                    "value": role, "title": request.words.text("staff", role),
                    "hint": request.words.text("roles", "may_\(role)"),
                    "checked": request.field("role") == role,
                ]
            },
        ]
        if request.identity?.grant(.admin, study: study) != nil {
            form["permissions"] = ["full_export", "sees_arms"].map { name -> [String: Any] in
                [
                    "name": name, "title": request.words.text("roles", name),
                    "checked": !request.field(name).isEmpty,
                ]
            }
        }
        return form
    }

    /// The frame of a page of the team. A study that was never published has no other pages than those of its draft.
    /// - Parameter current: the entry in the menu; nil for a page below one.
    /// - Throws: `not-found` if the visitor has no role in the study.
    private static func frame(
        of study: String, _ current: StaffStudyPage?, _ request: PageRequest
    ) async throws -> PageFrame {
        let (item, isUnpublished) = try await StaffStudyView.find(study, request)
        if let item {
            return StaffFrame.study(StaffStudyView(item, request.words), current, request)
        }
        guard isUnpublished else { throw Problem(.notFound) }
        return DraftVisit.frame(
            DraftAddress(study: study), title: study, nil, isBelow: true, request)
    }

    // MARK: Removing a role

    /// Asks before a role is removed, and states what then ends.
    var confirmRemoval: Route {
        context.get("/staff/{study}/roles/{account}/{role}") { request in
            try await removalPage(FormFaults(request.words), request)
        }
    }

    var remove: Route {
        context.post("/staff/{study}/roles/{account}/{role}") { request in
            let identity = try request.requireIdentity()
            let study = try request.path("study")
            let account = PageAddress.encodePart(try request.path("account"))
            let role = PageAddress.encodePart(try request.path("role"))
            do {
                try await request.send(.delete, "\(Self.resource(study))/roles/\(account)/\(role)")
            } catch let problem as Problem where problem.type == .lastCoordinator {
                var faults = FormFaults(request.words)
                faults.add(request.words.text("roles", "fault_last"), field: nil)
                return try await removalPage(faults, request)
            }
            // A member who removed the own role may not see the team any more.
            return PageRenderer.redirect(
                identity.account.description == account ? "/staff" : Self.address(study))
        }
    }

    private static func address(_ study: String, _ account: String, _ role: String) -> String {
        "\(address(study))/\(PageAddress.encodePart(account))/\(PageAddress.encodePart(role))"
    }

    private func removalPage(_ faults: FormFaults, _ request: PageRequest) async throws -> Reply {
        let identity = try request.requireIdentity()
        let study = try request.path("study")
        let (account, name) = (try request.path("account"), try request.path("role"))
        let role = try await request.list("\(Self.resource(study))/roles", query: "limit=1000")
            .map { StudyRoleView($0, request.words) }.first { $0.account == account && $0.role == name }
        guard let role, Self.grantedRoles.contains(role.role) else { throw Problem(.notFound) }
        let path = Self.address(study, role.account, role.role)
        var model = faults.model
        model["path"] = path
        model["question"] = request.words.text(
            "roles", role.isInvited ? "ask_invited" : "ask", ["role": role.title, "name": role.name])
        model["email"] = role.email
        model["consequence"] = request.words.text(
            "roles", role.isInvited ? "ends_invited" : "ends_\(role.role)", ["name": role.name])
        if account == identity.account.description { model["own"] = true }
        if !(identity.session?.isConfirmed(at: request.call.now) ?? true) {
            model["password"] = StaffLoginPage.address(next: path)
        }
        model["team"] = Self.address(study)
        var frame = try await Self.frame(of: study, nil, request)
        frame.breadcrumb.append(
            PageFrame.Link(title: request.words.text("staff", "roles"), address: Self.address(study)))
        return context.renderer.page(
            "staff_role_removal", title: request.words.text("roles", "removal"), model, frame: frame,
            of: request, status: faults.status)
    }
}

/// An entry of `GET /v1/studies/{study}/roles` in words.
struct StudyRoleView {
    private let item: JSON
    private let words: Words.Language

    init(_ item: JSON, _ words: Words.Language) {
        self.item = item
        self.words = words
    }

    var account: String { item["account_id"]?.string ?? "" }
    var name: String { item["name"]?.string ?? "" }
    var email: String { item["email"]?.string ?? "" }
    var role: String { item["role"]?.string ?? "" }
    var title: String { words.text("staff", role) }
    var since: Instant? { item["since"]?.instant }
    var isInvited: Bool { item["state"]?.string == "invited" }
    var state: String { words.text("roles", isInvited ? "state_invited" : "state_active") }

    /// The permissions that only an admin gives, separated by commas.
    var permissions: String {
        ["full_export", "sees_arms"].filter { item[$0]?.bool ?? false }
            .map { words.text("roles", $0) }.joined(separator: ", ")
    }
}
