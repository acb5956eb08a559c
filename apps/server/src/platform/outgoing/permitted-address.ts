import ipaddr from 'ipaddr.js';

/** Returns whether an address may be requested. */
export type IsPermitted = (address: string) => boolean;

/**
 * Creates the check of decision 19: only public addresses are permitted, and networks that the operator
 * allows (`192.168.1.0/24`, or a single address). Embedded addresses, such as IPv4 in IPv6, are checked as
 * the address they contain.
 *
 * @throws {Error} for an invalid network
 */
export function createIsPermitted(allowed: readonly string[]): IsPermitted {
  const networks = allowed.map(networkOf);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const plain = ipaddr.process(address);
    const isAllowed = networks.some(
      ([network, bits]) => network.kind() === plain.kind() && plain.match(network, bits),
    );
    return isAllowed || (plain.range() === 'unicast' && !isCompatible(plain));
  };
}

/**
 * Returns whether an address is IPv4 in the deprecated form `::127.0.0.1` (RFC 4291, 2.5.5.1), which no
 * public address has.
 */
function isCompatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === 'ipv6' && address.match(ipaddr.parse('::'), 96);
}

function networkOf(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
