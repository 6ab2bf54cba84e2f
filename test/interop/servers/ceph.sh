#!/usr/bin/env bash
# ceph.sh DIRECTORY PORT: serves S3 by Ceph's radosgw on 127.0.0.1, over a cluster of its own: one
# monitor, and one OSD in memory. The user's key pair is in USER_KEY and USER_SECRET. Ends with TERM.
set -euo pipefail
directory=$1 port=$2
mkdir "$directory"/{mon,osd,run,log}
free_port='const s = require("net").createServer().listen(0, "127.0.0.1", () => {
  console.log(s.address().port); s.close(); })'
monitor="[v2:127.0.0.1:$(node -e "$free_port")/0]"
fsid=$(cat /proc/sys/kernel/random/uuid)
keyring=$directory/keyring
export CEPH_CONF=$directory/ceph.conf
cat >"$CEPH_CONF" <<END
[global]
fsid = $fsid
mon_host = $monitor
public_addr = 127.0.0.1
mon_allow_pool_size_one = true
mon_data_avail_crit = 0
mon_max_pg_per_osd = 1000
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
osd_objectstore = memstore
memstore_device_bytes = 4294967296
rgw_frontends = beast endpoint=127.0.0.1:$port
keyring = $keyring
mon_data = $directory/mon
osd_data = $directory/osd
run_dir = $directory/run
admin_socket = $directory/run/\$name.\$pid.asok
log_file = $directory/log/\$name.log
crash_dir = $directory/run
END

running=()
# At once: nothing here is to be kept, and a gateway without its cluster does not end.
trap 'kill -KILL "${running[@]}"' EXIT
trap 'exit 0' TERM INT
start() {
  "$@" >>"$directory/log/out" 2>&1 &
  running+=($!)
}

{
  for name in mon. client.admin; do
    ceph-authtool "$keyring" $([ -e "$keyring" ] || echo -C) --gen-key -n $name \
      --cap mon 'allow *' --cap osd 'allow *'
  done
  monmaptool --create --addv a "$monitor" --fsid "$fsid" "$directory/monmap"
  ceph-mon --mkfs -i a --monmap "$directory/monmap"
  start ceph-mon -f -i a
  osd=$(cat /proc/sys/kernel/random/uuid)
  ceph osd new "$osd"
  ceph auth get-or-create osd.0 mon 'allow profile osd' osd 'allow *' >"$directory/osd.key"
  cat "$directory/osd.key" >>"$keyring"
  ceph-osd -i 0 --mkfs --osd-uuid "$osd"
  start ceph-osd -f -i 0
  radosgw-admin user create --uid interop --display-name interop \
    --access-key "$USER_KEY" --secret "$USER_SECRET"
} >>"$directory/log/out" 2>&1
start radosgw -f -n client.admin --keyring "$keyring"
wait "${running[-1]}"
