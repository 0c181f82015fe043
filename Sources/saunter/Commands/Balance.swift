import ArgumentParser
import SaunterCore
import SaunterServer
import SaunterStore

/// How even the arms of a study are, without telling what comes next.
struct Balance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how many participants each arm has, by factor and stratum.",
        discussion: """
            Nothing in it tells which arm comes next. Whoever was erased is not counted, and whoever was
            given another arm than the allocation's counts in that one. The imbalance is the largest distance of
            an arm from its share, in participants.

            Example: saunter balance mindful-walking
            """)

    @Argument(help: "The study's code.")
    var study: String
    @OptionGroup var options: SettingsOptions
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let settings = try options.settings()
        let code = study
        let (pack, balance) = try await StoreUse(
            settings: settings, purpose: .command, logger: .command(settings)
        ).run { store in
            let catalogue = StudyCatalogue(store: store, read: StudyReading.read)
            guard let live = try await catalogue.findLive(code) else {
                throw CommandFault("there is no study \(code)")
            }
            let counts = try await store.countAllocations(code)
            let moves = try await store.countArmMoves(code)
            return (
                live.published.study, AllocationBalance(live.published.study, counts, moves: moves)
            )
        }
        if json {
            Terminal.line(balance.json(of: pack).text)
        } else {
            show(balance)
        }
    }

    private func show(_ balance: AllocationBalance) {
        var table = TextTable([""] + balance.arms + ["in all", "imbalance"])
        func add(_ name: String, _ row: AllocationBalance.Row) {
            let imbalance = (row.imbalance * 10).rounded(.toNearestOrEven) / 10
            table.append([name] + row.counts.map { String($0) } + [String(row.total), "\(imbalance)"])
        }
        add("everybody", balance.all)
        for (entry, row) in balance.levels { add("\(entry.factor)=\(entry.level)", row) }
        for (name, row) in balance.strata { add("stratum \(name)", row) }
        for line in table.lines { Terminal.line(line) }
        for move in balance.moves {
            Terminal.line(
                "given another arm than the allocation's: \(move.participants) from \(move.from) to \(move.to)"
            )
        }
    }
}
