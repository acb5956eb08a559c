-- Maps of large organisations find the places of a region in memory. Without these indexes, a new position of a vehicle
-- changes no index. The columns latitude_band and longitude_band are unused; processes of the previous release read them.
drop index asset_position_band;
drop index asset_place_band;
