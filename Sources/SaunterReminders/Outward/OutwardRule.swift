import SaunterCore

/// Which addresses this server calls on behalf of others: those of the open internet, and what the operator names besides.
package struct OutwardRule: Sendable, Hashable {
    /// Hosts that may be called wherever they are.
    package var hosts: Set<String>
    /// Networks that may be called whatever names them.
    package var networks: [AddressRange]

    package init(hosts: Set<String> = [], networks: [AddressRange] = []) {
        self.hosts = hosts
        self.networks = networks
    }

    /// Names, addresses and networks with commas between; nil when a part is none of them.
    package init?(_ text: String) {
        self.init()
        for part in text.split(separator: ",") {
            let word = part.filter { $0 != " " }
            if let network = AddressRange(word) {
                networks.append(network)
            } else if !word.contains(where: { $0 == "/" || $0 == ":" }),
                let url = OutwardURL("https://\(word)"),
                url.text.count == word.count + 8,
                url.port == 443, url.address == nil
            {
                hosts.insert(url.host)
            } else {
                return nil
            }
        }
    }

    /// Whether the host of a URL may be connected to at this very address.
    package func allows(_ address: IPAddress, for host: String) -> Bool {
        address.isPublic || hosts.contains(host) || networks.contains { $0.contains(address) }
    }

    /// False where the URL itself holds an address that is refused; of a name only its addresses tell, when it is called.
    package func mayAllow(_ url: OutwardURL) -> Bool {
        url.address.map { allows($0, for: url.host) } ?? true
    }
}
