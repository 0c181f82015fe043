import SaunterCore

/// Decides which addresses the server may call for a client (SSRF guard): public addresses, and the hosts and networks
/// that the operator permits.
package struct OutboundPolicy: Sendable, Hashable {
    /// Hosts that may be called at any address.
    package var hosts: Set<String>
    /// Networks that may be called under any host name.
    package var networks: [AddressRange]

    /// Creates a policy; by default it permits only public addresses.
    package init(hosts: Set<String> = [], networks: [AddressRange] = []) {
        self.hosts = hosts
        self.networks = networks
    }

    /// Parses host names and networks, separated by commas. Nil if a part is neither.
    package init?(_ text: String) {
        self.init()
        for part in text.split(separator: ",") {
            let entry = part.filter { $0 != " " }
            if let network = AddressRange(entry) {
                networks.append(network)
            } else if let url = OutboundURL("https://\(entry)"), url.host == entry.lowercased(),
                url.address == nil
            {
                hosts.insert(url.host)
            } else {
                return nil
            }
        }
    }

    /// Whether the server may connect to this address for the host of a URL.
    package func allows(_ address: IPAddress, for host: String) -> Bool {
        address.isPublic || hosts.contains(host) || networks.contains { $0.contains(address) }
    }

    /// Whether the URL has a host name, or an IP address that is permitted. The addresses of a host name are checked
    /// when a connection is opened.
    package func mayAllow(_ url: OutboundURL) -> Bool {
        url.address.map { allows($0, for: url.host) } ?? true
    }
}
