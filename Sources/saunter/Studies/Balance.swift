import ArgumentParser
import Console
import PrivateCluster
import SaunterCore
import SaunterServer
import SaunterStore

/// Shows the balance of the arms of a study, without revealing the next allocation.
struct Balance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how many participants each arm has, by factor and stratum.",
        discussion: """
            The output does not reveal the next allocation. Erased participants are not counted. A participant who was
            moved to another arm counts in the new arm. The imbalance is the largest difference between an arm and its
            share, in participants.

            Example: saunter balance mindful-walking
            """)

    @Argument(help: "The study's code.")
    var study: String
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let code = study
        let (pack, differences, balance) = try await StoreSession(
            settings: settings, user: .command, logger: .command(settings)
        ).run { store in
            let catalogue = StudyCatalogue(store: store, read: PublishedStudyReader.read)
            guard let live = try await catalogue.findLive(code) else {
                throw CommandFault("there is no study \(code)")
            }
            let counts = try await store.countAllocations(code)
            let moves = try await store.countArmMoves(code)
            let study = live.published.study
            let content = ContentCatalogue(store: store, read: PublishedStudyReader.readLibrary)
            return (
                study, study.armDifferences(try await content.findLive(study)?.library),
                AllocationBalance(study, counts, moves: moves)
            )
        }
        if json {
            Terminal.line(balance.json(of: pack, differences).text)
        } else {
            show(balance)
        }
    }

    private func show(_ balance: AllocationBalance) {
        var table = TextTable([""] + balance.arms + ["total", "imbalance"])
        func add(_ name: String, _ row: AllocationBalance.Row) {
            let imbalance = (row.imbalance * 10).rounded(.toNearestOrEven) / 10
            table.append([name] + row.counts.map { String($0) } + [String(row.total), "\(imbalance)"])
        }
        add("all participants", balance.all)
        for (entry, row) in balance.levels { add("\(entry.factor)=\(entry.level)", row) }
        for (name, row) in balance.strata { add("stratum \(name)", row) }
        for line in table.lines { Terminal.line(line) }
        for move in balance.moves {
            Terminal.line(
                "moved to another arm: \(move.participants) from \(move.from) to \(move.to)"
            )
        }
    }
}
