import { useText } from '../../shared/i18n/use-text.ts';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { describeSchema } from './example.ts';
import type { Schema } from './openapi.ts';

interface Row {
  name: string;
  depth: number;
  required: boolean;
  schema: Schema;
}

/** Returns the fields of a schema as rows; nested fields are indented below their parent. */
function rowsOf(schema: Schema, depth = 0): Row[] {
  const shape = innermost(schema);
  return Object.entries(shape.properties ?? {}).flatMap(([name, property]) => [
    { name, depth, required: shape.required?.includes(name) ?? false, schema: property },
    ...(depth < 6 ? rowsOf(property, depth + 1) : []),
  ]);
}

function innermost(schema: Schema): Schema {
  if (schema.items) return innermost(schema.items);
  const branch = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].find(
    (each) => each.properties || each.items,
  );
  return branch ? innermost(branch) : schema;
}

export function SchemaView({ schema, label }: { schema: Schema; label: string }) {
  const { text } = useText();
  const rows = rowsOf(schema);
  if (rows.length === 0) return <p className="secondary api-plain">{describeSchema(schema)}</p>;
  return (
    <TableFrame label={label}>
      <thead>
        <tr>
          <th scope="col">{text('apitool.field')}</th>
          <th scope="col">{text('apitool.type')}</th>
          <th scope="col">{text('apitool.required')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same field name stands at several depths.
          <tr key={at}>
            <td style={{ paddingInlineStart: 16 + row.depth * 16 }}>
              <code>{row.name}</code>
            </td>
            <td className="api-type">
              {describeSchema(row.schema)}
              {row.schema.default === undefined || row.schema.default === '' ? null : (
                <span className="tertiary"> = {JSON.stringify(row.schema.default)}</span>
              )}
            </td>
            <td>{row.required ? text('apitool.yes') : ''}</td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
