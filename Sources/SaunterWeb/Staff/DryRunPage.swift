import HTTPTypes
import SaunterCore
import SaunterServer
import SaunterStore

/// The page that tries a draft, or a published version, with simulated participants. All values are in its address, so
/// that a run can be linked and read again.
struct DryRunPage: Sendable {
    let context: PageContext

    var dryRun: Route {
        var route = context.get("/staff/{study}/draft/dry-run", query: ["version"] + DryRunForm.names) {
            request in
            let study = try request.path("study")
            try Self.requireMember(of: study, try request.requireIdentity())
            let version = request.call.query("version").flatMap { $0.isEmpty ? nil : $0 }
            let form = DryRunForm({ request.call.query($0) }, now: request.call.now)
            var faults = FormFaults(request.words)
            guard let body = form.body(&faults, request.words) else {
                return try await page(study, version, form, faults, nil, request)
            }
            do {
                let found = try await request.send(
                    .post, "/v1/studies/\(PageAddress.encodePart(study))/draft/dry-run",
                    query: version.map { "version=\(PageAddress.encode($0))" }, body)
                return try await page(study, version, form, faults, found.json, request)
            } catch let problem as Problem {
                switch problem.type {
                case .notFound:
                    guard version == nil, let live = try await liveVersion(of: study, request) else {
                        throw problem
                    }
                    // Without a draft, the live version is tried.
                    return PageRenderer.redirect(form.address(Self.address(study), version: live))
                case .draftInvalid:
                    return try await page(
                        study, version, form, faults, nil, request,
                        invalid: problem)
                case .tooManyRequests:
                    faults.add(request.words.text("dry_run", "running"), field: nil)
                    return try await page(
                        study, version, form, faults, nil, request, status: .tooManyRequests)
                default: throw problem
                }
            }
        }
        route.stopsWithConnection = true
        return route
    }

    /// The page with faults calls no route, so it checks the role itself.
    private static func requireMember(of study: String, _ identity: Identity) throws(Problem) {
        guard !identity.grants.isEmpty else { throw Problem(.notPermitted) }
        guard identity.grants.contains(where: { [study, Grant.allStudies].contains($0.study) }) else {
            throw Problem(.notFound)
        }
    }

    /// The address of the page.
    static func address(_ study: String) -> String { "\(PageAddress.staff(study))/draft/dry-run" }

    private func liveVersion(of study: String, _ request: PageRequest) async throws -> String? {
        try await request.get("/v1/studies/\(PageAddress.encodePart(study))")["version"]?.string
    }

    /// - Parameters:
    ///   - run: the response of the route; nil if no run was made.
    ///   - invalid: the problem of a draft with faults.
    private func page(
        _ study: String, _ version: String?, _ form: DryRunForm, _ faults: FormFaults, _ run: JSON?,
        _ request: PageRequest, invalid: Problem? = nil, status: HTTPResponse.Status? = nil
    ) async throws -> Reply {
        let words = request.words
        var model = faults.model
        model["path"] = Self.address(study)
        model["version"] = version
        // Without a draft, its pages do not exist.
        if version == nil, run != nil || invalid != nil {
            model["of_draft"] = [
                "steps": DraftVisit.steps("dry-run", of: DraftAddress(study: study), request)
            ]
        }
        model["values"] = form.values
        if let invalid { model["invalid"] = DraftAddress(study: study).faults(invalid) }
        if let run {
            let view = DryRunView(run, form, path: Self.address(study), version: version, words)
            model["run"] = view.model
        }
        let frame = try await DraftVisit.frame(below: study, title: run?["title"]?.string, request)
        return context.renderer.page(
            "staff_dry_run", title: words.text("dry_run", "title"), model, frame: frame, of: request,
            status: status ?? (invalid == nil ? faults.status : .unprocessableContent))
    }
}
