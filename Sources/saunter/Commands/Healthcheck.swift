import ArgumentParser
import SaunterCohort
import SaunterCore

/// Whether the server takes requests; for containers and scripts.
struct Healthcheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask a running server whether it is ready: exit status 0 if it is.",
        discussion: "Example: saunter healthcheck --url http://127.0.0.1:8080")

    @Option(help: "The server; unset: the address that the settings give.")
    var url: String?
    @Flag(help: "Say nothing.") var quiet = false
    @OptionGroup var options: SettingsOptions

    func run() async throws {
        let address = try url ?? options.settings().localURL
        do {
            let reply = try await ServerClient(url: address).send(
                "GET", "/health/ready", timeout: .seconds(5))
            if !quiet { Terminal.line(reply.isSuccess ? "ready" : "not ready: \(reply.json.text)") }
            if !reply.isSuccess { throw ExitCode.failure }
        } catch let fault as ServerUnreachable {
            if !quiet { Terminal.error(fault.description) }
            throw ExitCode.failure
        }
    }
}
